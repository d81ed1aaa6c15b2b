// Chooses the author of Bosun's commits: the person, or Bosun if git knows no identity.
import { askGit } from './git.js';

/** Settings for `git -c`. Without `useConfigOnly` git would invent a name from the machine's. */
export async function findIdentity(folder: string): Promise<string[]> {
  for (const who of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) {
    const answer = await askGit(folder, ['var', who], { config: ['user.useConfigOnly=true'] });
    if (answer.exit !== 0) return ['user.name=Bosun', 'user.email=bosun@localhost'];
  }
  return [];
}
