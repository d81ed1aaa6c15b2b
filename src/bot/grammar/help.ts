// What help and a chat platform's command menu print, read from the table of verbs.
import { VERBS, type VerbRow } from './verbs.js';

/** One line for each verb: how it is said, what it does, what else says it. */
export function helpLines(): readonly string[] {
  return VERBS.map((row) => `${formOf(row)} — ${row.help}${alsoSaid(row)}`);
}

/** The verbs as a platform's command menu wants them: one word and one line each. */
export function botCommands(): readonly { readonly command: string; readonly description: string }[] {
  return VERBS.map((row) => ({ command: row.verb, description: row.help }));
}

/** The row as a pattern: `retry [project] [node or story] [: note]`. */
function formOf(row: VerbRow): string {
  return [row.verb, PROJECT[row.project], TARGET[row.target], row.note === null ? '' : `[: ${row.note}]`]
    .filter((part) => part !== '')
    .join(' ');
}

const PROJECT: Readonly<Record<VerbRow['project'], string>> = {
  none: '',
  optional: '[project]',
  required: '<project>',
  'optional-or-all': '[project or all]',
};

const TARGET: Readonly<Record<VerbRow['target'], string>> = {
  none: '',
  node: '[node or story]',
  'project-node': '[node]',
  'to-node': 'to <node>',
  amount: '+<dollars>',
  workflow: '[story or with <workflow>]',
  code: '[code]',
};

function alsoSaid(row: VerbRow): string {
  const said = [...row.synonyms, ...(row.synonymsOfProject ?? []).map((words) => `${words} <project>`)];
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
}
