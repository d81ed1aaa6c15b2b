// A terminal without a screen: takes what readline and the chat write, and says what one would see.
import { Writable } from 'node:stream';

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is made of them
const piece = /\u001b\[([0-9;?]*)([A-Za-z])|\r|\n|\u0007|[^\u001b\r\n]/gu;

export class VirtualTerminal extends Writable {
  readonly isTTY = true;
  columns: number;
  /** All that was written, colours included. */
  raw = '';
  #rows: string[][] = [[]];
  #row = 0;
  #column = 0;
  #watchers = new Set<() => void>();

  constructor(columns: number) {
    super({ decodeStrings: false });
    this.columns = columns;
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    const text = String(chunk);
    this.raw += text;
    for (const [whole, argument = '', command] of text.matchAll(piece)) {
      if (command !== undefined) this.#control(command, Number.parseInt(argument, 10));
      else if (whole === '\r') this.#column = 0;
      else if (whole === '\n') this.#down();
      else this.#put(whole);
    }
    done();
    for (const watch of this.#watchers) watch();
  }

  get lines(): readonly string[] {
    return this.#rows.map((row) => row.join('').trimEnd());
  }

  get text(): string {
    return this.lines.join('\n').trimEnd();
  }

  get cursor(): { readonly row: number; readonly column: number } {
    return { row: this.#row, column: this.#column };
  }

  /** Resolves once this is so; a test that waits in vain ends by its own time limit. */
  until(isSo: (text: string) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const watch = () => {
        if (!isSo(this.text)) return;
        this.#watchers.delete(watch);
        resolve();
      };
      this.#watchers.add(watch);
      watch();
    });
  }

  /** Resolves once the person may type again. */
  untilPrompt(prompt = '>'): Promise<void> {
    return this.until((text) => text.endsWith(`\n${prompt}`));
  }

  #down(): void {
    // As a real one in its usual mode does: a line feed goes to the first column too.
    this.#row += 1;
    this.#column = 0;
    this.#rows[this.#row] ??= [];
  }

  #put(char: string): void {
    if (this.#column >= this.columns) this.#down();
    const row = this.#rows[this.#row] ?? [];
    while (row.length < this.#column) row.push(' ');
    row[this.#column] = char;
    this.#column += 1;
  }

  #control(command: string, argument: number): void {
    const count = Number.isNaN(argument) ? 1 : argument;
    if (command === 'G') this.#column = count - 1;
    if (command === 'A') this.#row = Math.max(0, this.#row - count);
    if (command === 'B') this.#row += count;
    if (command === 'C') this.#column += count;
    if (command === 'D') this.#column = Math.max(0, this.#column - count);
    if (command === 'J' && (Number.isNaN(argument) || argument === 0)) {
      this.#rows = this.#rows.slice(0, this.#row + 1);
      this.#rows[this.#row] = (this.#rows[this.#row] ?? []).slice(0, this.#column);
    }
  }
}
