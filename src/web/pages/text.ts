// What others wrote, as a page may show it.

const maxTextChars = 2_000;

/** Without what would turn the writing around or hide it. */
export function shortened(told: string): string {
  const text = told.replace(/(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Cs}]/gu, '');
  return text.length > maxTextChars ? `${text.slice(0, maxTextChars)} …` : text;
}
