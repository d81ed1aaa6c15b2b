// Who signs what Bosun writes into a repository: the person, or Bosun where git knows nobody.
import { askGit } from './git.js';

/** Settings for `git -c`. Git alone would make a name up from the machine's. */
export async function findIdentity(folder: string): Promise<string[]> {
  for (const who of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) {
    const answer = await askGit(folder, ['var', who], { config: ['user.useConfigOnly=true'] });
    if (answer.exit !== 0) return ['user.name=Bosun', 'user.email=bosun@localhost'];
  }
  return [];
}
