// Where lines are printed. The last of them may be live: on a terminal the next ones are drawn over them.
import { clearScreenDown, cursorTo, moveCursor } from 'node:readline';

export interface Screen {
  /** null where lines need no fitting, as in a file. */
  readonly width: number | null;
  /** Live lines replace those that were live before; without any, those stay as they are. */
  print(lines: readonly string[], live?: readonly string[]): void;
  /** Something else was written, such as the line a person typed: what is live stays as it is. */
  settle(): void;
}

/** What has to make way for a line, such as the prompt with what is being typed. */
export interface Curtain {
  hide(): void;
  show(): void;
}

export interface ScreenParts {
  readonly output: NodeJS.WritableStream;
  readonly width?: number | undefined;
  readonly curtain?: Curtain;
}

const noCurtain: Curtain = { hide: () => undefined, show: () => undefined };
const defaultWidth = 80;
const leastWidth = 20;

export function openScreen(parts: ScreenParts): Screen {
  return isTerminal(parts.output) ? new TerminalScreen(parts) : plainScreen(parts.output);
}

export function isTerminal(output: NodeJS.WritableStream): boolean {
  return 'isTTY' in output && output.isTTY === true && process.env['TERM'] !== 'dumb';
}

function plainScreen(output: NodeJS.WritableStream): Screen {
  return {
    width: null,
    print: (lines) => {
      if (lines.length > 0) output.write(`${lines.join('\n')}\n`);
    },
    settle: () => undefined,
  };
}

class TerminalScreen implements Screen {
  readonly #parts: ScreenParts;
  readonly #curtain: Curtain;
  #liveRows = 0;

  constructor(parts: ScreenParts) {
    this.#parts = parts;
    this.#curtain = parts.curtain ?? noCurtain;
    // After a change of width nobody knows how many rows the lines take.
    parts.output.on('resize', () => this.settle());
  }

  get width(): number {
    const { output, width } = this.#parts;
    // A terminal that has not been given a size says 0.
    const columns =
      'columns' in output && typeof output.columns === 'number' && output.columns > 0 ? output.columns : null;
    return Math.max(leastWidth, width ?? columns ?? defaultWidth);
  }

  print(lines: readonly string[], live?: readonly string[]): void {
    const { output } = this.#parts;
    this.#curtain.hide();
    cursorTo(output, 0);
    if (live !== undefined && this.#liveRows > 0) moveCursor(output, 0, -this.#liveRows);
    clearScreenDown(output);
    for (const line of [...lines, ...(live ?? [])]) output.write(`${line}\n`);
    this.#liveRows = live?.length ?? 0;
    this.#curtain.show();
  }

  settle(): void {
    this.#liveRows = 0;
  }
}

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
