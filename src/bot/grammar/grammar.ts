// A table of verbs; all else derives from it.
import { parseText, understandText } from './parse.js';
import type { Parsed, ProjectName, ReplyKind } from './parsed.js';
import { type VerbRow, verbRows, verbTable } from './verbs.js';

export interface Grammar {
  readonly rows: readonly VerbRow[];
  /** A project's name could not be told from these. */
  readonly reservedWords: ReadonlySet<string>;
  /** As `bosun parse` shows it; `reply`: never a command. */
  parse(text: string, names: readonly ProjectName[], reply?: ReplyKind): Parsed;
  /** As Bosun acts: a command stays one even in a reply. */
  understand(text: string, names: readonly ProjectName[], reply?: ReplyKind): Parsed;
  /** Null: unclear, or an answer. */
  rowOf(said: Pick<Parsed, 'verb'>): VerbRow | null;
  /** Null: nothing by itself. */
  effectOf(said: Pick<Parsed, 'verb'>): VerbRow['effect'] | null;
}

function createGrammar(rows: readonly VerbRow[]): Grammar {
  const table = verbTable(rows);
  const byVerb = new Map(rows.map((row) => [row.verb, row]));
  const rowOf: Grammar['rowOf'] = ({ verb }) => (verb === null ? null : (byVerb.get(verb) ?? null));
  return {
    rows,
    reservedWords: new Set([...table.phrases.flatMap(({ words }) => words.slice(0, 1)), ...connectingWords]),
    parse: (text, names, reply) => parseText(table, text, names, reply),
    understand: (text, names, reply) => understandText(table, text, names, reply),
    rowOf,
    effectOf: (said) => rowOf(said)?.effect ?? null,
  };
}

const connectingWords = ['all', 'everything', 'of', 'on', 'to', 'with', 'bosun', 'please', 'approved', 'okay'];

export const grammar = createGrammar(verbRows);
export const { parse, understand } = grammar;

export function helpLines({ rows }: Grammar): readonly string[] {
  return rows.map((row) => `${formOf(row)} — ${row.help}${alsoSaid(row)}`);
}

export function botCommands({ rows }: Grammar, menu: 'private' | 'group') {
  return rows
    .filter((row) => menu === 'private' || row.menu === 'everywhere')
    .map(({ verb, help }) => ({ command: verb, description: help }));
}

/** `retry [project] [node or story] [: note]` */
function formOf(row: VerbRow): string {
  return [row.verb, projectForms[row.project], targetForms[row.target], row.note === null ? '' : `[: ${row.note}]`]
    .filter((part) => part !== '')
    .join(' ');
}

const projectForms: Readonly<Record<VerbRow['project'], string>> = {
  none: '',
  optional: '[project]',
  required: '<project>',
  'optional-or-all': '[project or all]',
};

const targetForms: Readonly<Record<VerbRow['target'], string>> = {
  none: '',
  node: '[node or story]',
  'project-node': '[node]',
  'to-node': 'to <node>',
  amount: '+<dollars>',
  queued: '<q3>',
  'queued-move': '<q3> up, down or first',
  task: '<q3>',
  card: '<i12-3>',
  'card-for': '<i12-3> [30m, 2h or 1d]',
  'card-to': '<i12-3> to <person>',
  workflow: '[story or with <workflow>]',
  code: '[code]',
  all: '[all]',
};

function alsoSaid(row: VerbRow): string {
  const said = [...row.synonyms, ...(row.synonymsOfProject ?? []).map((words) => `${words} <project>`)];
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
}
