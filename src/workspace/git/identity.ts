// The person, or Bosun where git knows no identity.
import { askGit } from './git.js';

/** Without `useConfigOnly` git would invent a name. */
export async function findIdentity(folder: string): Promise<string[]> {
  const names = ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'];
  const answers = await Promise.all(
    names.map((name) => askGit(folder, ['var', name], { config: ['user.useConfigOnly=true'] })),
  );
  return answers.every(({ exit }) => exit === 0) ? [] : ['user.name=Bosun', 'user.email=bosun@localhost'];
}
