// Whether a project holds anything to build upon: a file that is neither Bosun's own nor hidden nor a mere document.
import { askGit, gitError, toText, wholeTreeMs } from '../git/git.js';
import { isOwnName } from '../git/own-files.js';

// The first pages of the list decide; only a project of nothing but documents could be longer.
const listMaxBytes = 8 * 1024 * 1024;

const documents =
  /^(docs?\/.*|(.*\/)?(readme|license|licence|copying|notice|authors|contributing|changelog)(\.[^/]*)?|.*\.(md|markdown|rst|adoc|txt|pdf))$/i;

/** Tracked or untracked, and not ignored. */
export async function holdsSources(root: string): Promise<boolean> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const answer = await askGit(root, args, { stdoutMaxBytes: listMaxBytes, timeoutMs: wholeTreeMs });
  if (answer.exit !== 0 && !answer.isCut) throw gitError(root, args, answer);
  // They are told relative to the project's folder.
  return answer.out.split('\0').some((path) => path !== '' && !isOwnName(path) && isSource(toText(path)));
}

function isSource(path: string): boolean {
  return !/(^|\/)\./.test(path) && !documents.test(path);
}
