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

interface Column {
  readonly title: string;
  readonly cells: readonly string[];
}

const [begins, ends] = ['<!-- proof: written by test/e2e/agents-proof.test.ts -->', '<!-- end of proof -->'];
export const pagePath = join(import.meta.dirname, '..', '..', '..', 'docs', 'agents.md');

/** The page with this table in it. */
export function pageWith(columns: readonly Column[]): string {
  const page = readFileSync(pagePath, 'utf8');
  const [head = '', tail = ''] = [page.split(begins)[0], page.split(ends)[1]];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const table = [
    line(['', ...columns.map(({ title }) => title)]),
    line(['---', ...columns.map(() => '---')]),
    ...rows.map((row, at) => line([row, ...columns.map(({ cells }) => cells[at] ?? '')])),
  ];
  return `${head}${begins}\n${table.join('\n')}\n${ends}${tail}`;
}
