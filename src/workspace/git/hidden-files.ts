// Files that Bosun puts into a project for the person's own tools: none of git's business, unless git has them already.
import { findCheckout } from './checkout.js';
import { askGit, gitError } from './git.js';
import { excludeFrom } from './own-files.js';

/** `path` is relative to the project's folder. */
export async function isTracked(root: string, path: string): Promise<boolean> {
  const args = ['ls-files', '--error-unmatch', '--', `:(literal)${path}`];
  const answer = await askGit(root, args);
  if (answer.exit > 1) throw gitError(root, args, answer);
  return answer.exit === 0;
}

/** Lists the file in the repository's own exclude file, where nothing keeps it out of git yet. */
export async function hideFromGit(root: string, path: string): Promise<void> {
  const args = ['check-ignore', '--quiet', '--', path];
  const answer = await askGit(root, args);
  if (answer.exit > 1) throw gitError(root, args, answer);
  if (answer.exit === 1) await excludeFrom(await findCheckout(root), [path]);
}
