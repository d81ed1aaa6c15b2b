export const joiner = '\u2060';

/** Copied text must mean the same as before joiners were added. */
export function withoutJoiners(text: string): string {
  return text.replaceAll(joiner, '');
}
