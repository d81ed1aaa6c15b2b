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

export interface LabelLimits {
  readonly chars: number;
  readonly units: number;
}

/** Leaves out whole words in the middle: labels differ at their end, too. It may exceed the units. */
export function cutMiddle(text: string, { chars, units }: LabelLimits): string {
  if (text.length <= chars) return text;
  const window = units + maxGraphemeUnits;
  const begin = graphemesOf(text.slice(0, window));
  const isWhole = text.length <= window;
  if (isWhole && begin.length <= chars) return text;
  const tailMax = Math.floor((chars - 3) / 3);
  const head = begin.slice(0, chars - 3 - tailMax);
  const tail = (isWhole ? begin : graphemesOf(text.slice(-window)).slice(1)).slice(-tailMax);
  const [to, from] = [head.lastIndexOf(' '), tail.indexOf(' ')];
  return to > 0 && from >= 0
    ? `${head.slice(0, to).join('').trimEnd()} … ${tail.slice(from).join('').trimStart()}`
    : `${head.join('').trimEnd()}…${tail.join('').trimStart()}`;
}

function graphemesOf(text: string): readonly string[] {
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

export function cutUnits(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  return `${text.slice(0, graphemesFit(text, maxUnits - 1)).trimEnd()}…`;
}

function pairStart(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
