// The person, or Bosun where git knows no identity.
import { askGit } from './git.js';

/** Without `useConfigOnly` git would invent a name. */
export async function findIdentity(folder: string): Promise<string[]> {
  for (const who of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) {
    const answer = await askGit(folder, ['var', who], { config: ['user.useConfigOnly=true'] });
    if (answer.exit !== 0) return ['user.name=Bosun', 'user.email=bosun@localhost'];
  }
  return [];
}
