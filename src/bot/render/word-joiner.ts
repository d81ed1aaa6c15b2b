export const joiner = '\u2060';

/** Copied text means what it did before joiners were added. */
export function withoutJoiners(text: string): string {
  return text.replaceAll(joiner, '');
}
