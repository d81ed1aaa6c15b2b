// The last lines may be live: the next print overwrites them.
import { clearScreenDown, cursorTo, moveCursor } from 'node:readline';

export interface Screen {
  /** Null: no wrapping. */
  readonly width: number | null;
  /** `live` replaces the previous live lines. */
  print(lines: readonly string[], live?: readonly string[]): void;
  settle(): void;
}

/** Hides the prompt while lines are printed. */
export interface Curtain {
  hide(): void;
  show(): void;
}

export interface ScreenParts {
  readonly output: NodeJS.WritableStream;
  /** Null: the terminal's. */
  readonly width: number | null;
  readonly curtain: Curtain | null;
}

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
  #liveRows = 0;

  constructor(parts: ScreenParts) {
    this.#parts = parts;
    parts.output.on('resize', () => this.settle());
  }

  get width(): number {
    const { output, width } = this.#parts;
    // A terminal without a size reports 0.
    const columns =
      'columns' in output && typeof output.columns === 'number' && output.columns > 0 ? output.columns : null;
    return Math.max(leastWidth, width ?? columns ?? defaultWidth);
  }

  print(lines: readonly string[], live?: readonly string[]): void {
    const { output, curtain } = this.#parts;
    curtain?.hide();
    cursorTo(output, 0);
    if (live !== undefined && this.#liveRows > 0) moveCursor(output, 0, -this.#liveRows);
    clearScreenDown(output);
    for (const line of [...lines, ...(live ?? [])]) output.write(`${line}\n`);
    this.#liveRows = live?.length ?? 0;
    curtain?.show();
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

export function paintFor(isColored: boolean): Paint {
  if (!isColored || (process.env['NO_COLOR'] ?? '') !== '') return (_color, text) => text;
  return (color, text) => `\u001b[${codes[color][0]}m${text}\u001b[${codes[color][1]}m`;
}
