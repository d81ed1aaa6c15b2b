// The person, or Bosun where git knows no identity.
import { askGit } from './git.js';

export function findIdentity(folder: string): Promise<string[]> {
  return identityFor(folder, ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']);
}

/** A rebase keeps the authors of the commits. */
export function findCommitter(folder: string): Promise<string[]> {
  return identityFor(folder, ['GIT_COMMITTER_IDENT']);
}

/** Without `useConfigOnly` git would invent a name. */
async function identityFor(folder: string, names: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(
    names.map((name) => askGit(folder, ['var', name], { config: ['user.useConfigOnly=true'] })),
  );
  return answers.every(({ exit }) => exit === 0) ? [] : ['user.name=Bosun', 'user.email=bosun@localhost'];
}
