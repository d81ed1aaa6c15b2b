/** U+2060: shows nothing, and keeps what stands around it from being read as one word. */
export const joiner = '\u2060';

/** What somebody copied from a message means what it did before. */
export function withoutJoiners(text: string): string {
  return text.replaceAll(joiner, '');
}
