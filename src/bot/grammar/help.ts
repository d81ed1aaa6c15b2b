// Help and the platforms' command menus, generated from the table of verbs.
import { VERBS, type VerbRow } from './verbs.js';

export function helpLines(): readonly string[] {
  return VERBS.map((row) => `${formOf(row)} — ${row.help}${alsoSaid(row)}`);
}

/** In the shape of a platform's command menu. */
export function botCommands(): readonly { readonly command: string; readonly description: string }[] {
  return VERBS.map((row) => ({ command: row.verb, description: row.help }));
}

/** `retry [project] [node or story] [: note]` */
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
