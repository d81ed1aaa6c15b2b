// What tests observed of each program, as the table of docs/agents.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const rows = [
  'allow once',
  'allow for this run',
  'deny',
  'no answer in time, allowed later',
  'Bosun killed while it waits, then answered',
  'the agent killed while it waits',
  'a command of a helper',
  'a tool of an MCP server',
  'a file outside the checkout',
  'the network',
  'settings of a hostile checkout',
  'a rewritten test script',
] as const;

export type Row = (typeof rows)[number];

/** `cards`: how often a person was asked; `done`: how often it happened. */
export interface Observed {
  readonly cards: number;
  readonly done: number;
}

const asked = (cards: number, done: number): Observed => ({ cards, done });

/** What the answers of the tests allow, to the number. */
export const expected: Readonly<Record<Row, Observed>> = {
  'allow once': asked(2, 1),
  'allow for this run': asked(1, 2),
  deny: asked(1, 0),
  'no answer in time, allowed later': asked(2, 1),
  'Bosun killed while it waits, then answered': asked(2, 1),
  'the agent killed while it waits': asked(2, 1),
  'a command of a helper': asked(1, 1),
  'a tool of an MCP server': asked(2, 1),
  'a file outside the checkout': asked(1, 1),
  'the network': asked(2, 1),
  'settings of a hostile checkout': asked(0, 0),
  'a rewritten test script': asked(2, 1),
};

/** Where a program differs, and why. null: it cannot be tried with this program. */
export interface Exception {
  readonly observed: Observed | null;
  readonly words: string;
}

export type Exceptions = Partial<Readonly<Record<Row, Exception>>>;

/** What differs from both: a defect, or words of the table that are no longer true. */
export function unproven(observed: ReadonlyMap<Row, Observed>, exceptions: Exceptions): readonly string[] {
  return [...observed].flatMap(([row, seen]) => {
    const { cards, done } = exceptions[row]?.observed ?? expected[row];
    const isSame = cards === seen.cards && done === seen.done;
    return isSame ? [] : [`${row}: asked ${seen.cards}×, done ${seen.done}×, instead of ${cards}× and ${done}×`];
  });
}

export function cell(row: Row, seen: Observed | undefined, exceptions: Exceptions): string {
  const exception = exceptions[row];
  if (exception !== undefined && (seen === undefined) === (exception.observed === null)) return exception.words;
  return seen === undefined ? 'not tried' : 'yes';
}

/** A column's title, and its cells from top to bottom. */
export type Column = readonly [title: string, ...cells: string[]];

const [begins, ends] = ['<!-- proof: written by test/e2e/agents-proof-*.test.ts -->', '<!-- end of proof -->'];
export const pagePath = join(import.meta.dirname, '..', '..', '..', 'docs', 'agents.md');

/** The page with these columns of its table, by their place; the others stay as they are. */
export function pageWith(columns: ReadonlyMap<number, Column>): string {
  const page = readFileSync(pagePath, 'utf8');
  const [head = '', after = ''] = page.split(begins);
  const [before = '', tail = ''] = after.split(ends);
  const old = before.trim().split('\n').map(cellsOf);
  const width = Math.max(old[0]?.length ?? 0, ...[...columns.keys()].map((place) => place + 2));
  const table = ['', '---', ...rows].map((name, at) => {
    const cells = Array.from({ length: width - 1 }, (_, place) => {
      const column = columns.get(place);
      if (column === undefined) return old[at]?.[place + 1] ?? '';
      return (at === 1 ? '---' : column[at === 0 ? 0 : at - 1]) ?? '';
    });
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  return `${head}${begins}\n${table.join('\n')}\n${ends}${tail}`;
}

function cellsOf(line: string): readonly string[] {
  return line.slice(2, -2).split(' | ');
}
