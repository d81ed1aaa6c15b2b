// Grapheme clusters are the characters that people see.

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Combining marks are unbounded. */
const maxGraphemeUnits = 64;

/** Splits neither a grapheme nor a surrogate pair. */
export function graphemesFit(text: string, maxUnits: number): number {
  if (text.length <= maxUnits) return text.length;
  const from = pairStart(text, Math.max(0, maxUnits - maxGraphemeUnits));
  const window = text.slice(from, maxUnits + maxGraphemeUnits);
  let fit = 0;
  for (const { index } of segmenter.segment(window)) {
    if (from + index <= maxUnits) fit = from + index;
  }
  return fit > from ? fit : pairStart(text, maxUnits);
}

export function cutGraphemes(text: string, max: number): string {
  const shown = [...segmenter.segment(text.slice(0, max * maxGraphemeUnits))].map(({ segment }) => segment);
  if (shown.length <= max) return text.slice(0, max * maxGraphemeUnits);
  return `${shown
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`;
}

export function cutUnits(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  return `${text.slice(0, graphemesFit(text, maxUnits - 1)).trimEnd()}…`;
}

function pairStart(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
