export type Color = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export type Paint = (color: Color, text: string) => string;

const codes: Readonly<Record<Color, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** Leaves the text as it is where colours are not wanted. */
export function paintFor(isColored: boolean): Paint {
  if (!isColored || (process.env['NO_COLOR'] ?? '') !== '') return (_color, text) => text;
  return (color, text) => `\u001b[${codes[color][0]}m${text}\u001b[${codes[color][1]}m`;
}
