// What is wrong in a text that a person wrote, and where. Problems are collected, never thrown, so that one reading names all.

export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Problem extends SourcePosition {
  readonly message: string;
}

/** More than this tells a reader nothing new. */
const MAX_PROBLEMS = 100;

/** Where the parts of a workflow were written: a part without a place of its own has that of what holds it. */
export class SourcePositions {
  readonly #start: SourcePosition;
  readonly #known = new Map<string, SourcePosition>();

  constructor(start: SourcePosition) {
    this.#start = start;
  }

  set(path: readonly string[], at: SourcePosition): void {
    this.#known.set(path.join('/'), at);
  }

  has(path: readonly string[]): boolean {
    return this.#known.has(path.join('/'));
  }

  at(path: readonly string[]): SourcePosition {
    for (let length = path.length; length > 0; length -= 1) {
      const found = this.#known.get(path.slice(0, length).join('/'));
      if (found) return found;
    }
    return this.#start;
  }
}

/** In the order of the text, each said once. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const unique = new Map(problems.map((one) => [`${one.file}:${one.line}:${one.column}:${one.message}`, one]));
  return [...unique.values()]
    .sort((a, b) => Number(a.file > b.file) - Number(a.file < b.file) || a.line - b.line || a.column - b.column)
    .slice(0, MAX_PROBLEMS);
}

export function formatProblem(problem: Problem): string {
  return `${problem.file}:${problem.line}:${problem.column}: ${problem.message}`;
}
