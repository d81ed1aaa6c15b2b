/** U+2060: invisible, and keeps its neighbours from being read as one word. */
export const joiner = '\u2060';

/** Text copied from a message means what it did before joiners were added. */
export function withoutJoiners(text: string): string {
  return text.replaceAll(joiner, '');
}
