// Bounded memory: keeps the tail, or splits lines.

const maxLineChars = 16_384;

export class TailText {
  readonly #limitChars: number;
  #text = '';
  #isCut = false;

  constructor(limitChars: number) {
    this.#limitChars = limitChars;
  }

  get isCut(): boolean {
    return this.#isCut || this.#text.length > this.#limitChars;
  }

  push(text: string): void {
    this.#text += text;
    if (this.#text.length <= 2 * this.#limitChars) return;
    this.#isCut = true;
    this.#text = this.#text.slice(-this.#limitChars);
  }

  /** Drops the first, partial line, which would look whole. */
  read(): string {
    if (!this.isCut) return this.#text;
    const kept = this.#text.slice(-this.#limitChars);
    const newline = kept.indexOf('\n');
    return newline < 0 ? `…${kept}` : kept.slice(newline + 1);
  }
}

export class LineSplitter {
  readonly #limitChars: number;
  #rest = '';
  #isSkipping = false;

  constructor(limitChars = maxLineChars) {
    this.#limitChars = limitChars;
  }

  push(text: string): readonly string[] {
    const pieces = text.split('\n');
    const last = pieces.pop() ?? '';
    const lines: string[] = [];
    for (const piece of pieces) {
      const line = this.#complete(piece);
      if (line !== null) lines.push(line);
    }
    if (this.#isSkipping) return lines;
    this.#rest += last;
    if (this.#rest.length <= this.#limitChars) return lines;
    lines.push(cutLine(this.#rest, this.#limitChars));
    this.#rest = '';
    this.#isSkipping = true;
    return lines;
  }

  end(): readonly string[] {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '' ? [] : [rest];
  }

  #complete(piece: string): string | null {
    const line = this.#rest + piece;
    this.#rest = '';
    if (this.#isSkipping) {
      this.#isSkipping = false;
      return null;
    }
    const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
    return cutLine(bare, this.#limitChars);
  }
}

export function cutLine(line: string, limitChars = maxLineChars): string {
  return line.length <= limitChars ? line : `${line.slice(0, limitChars)}… (line cut)`;
}
