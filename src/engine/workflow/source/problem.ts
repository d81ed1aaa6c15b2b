// Collected, so that one pass reports all.

export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Problem extends SourcePosition {
  readonly message: string;
}

const maxProblems = 100;

/** A path without a position takes its nearest parent's. */
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

export function sortProblems(problems: readonly Problem[]): Problem[] {
  const unique = new Map(problems.map((one) => [`${one.file}:${one.line}:${one.column}:${one.message}`, one]));
  return [...unique.values()]
    .sort((a, b) => Number(a.file > b.file) - Number(a.file < b.file) || a.line - b.line || a.column - b.column)
    .slice(0, maxProblems);
}

export function formatProblem(problem: Problem): string {
  return `${problem.file}:${problem.line}:${problem.column}: ${problem.message}`;
}
