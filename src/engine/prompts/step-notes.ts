import { stepTypes } from '../chain/mutate.js';
import { findDef } from '../model/draft/draft.js';
import type { Node, State } from '../model/model.js';
import type { Fence } from '../text/fence.js';
import { paragraphs } from '../text/template.js';
import type { TaskDef } from '../workflow/definition.js';
import { isEditable } from '../workflow/node-kinds.js';

export function notesOfStory({ chain, workflow }: State, def: TaskDef, fence: Fence): string {
  if (!def.editable && !restsOnNotes({ chain, workflow })) return '';
  const done = chain.nodes
    .flatMap((node) => (node.state === 'passed' && node.last?.summary ? [{ node, last: node.last }] : []))
    .sort((one, other) => Number(one.last.endedAt) - Number(other.last.endedAt));
  if (done.length === 0) return '';
  const notes = done.map(({ node, last }) => `### ${node.label} ${node.template}\n${last.summary}`);
  return fence.data(`## Notes of the steps before\n\n${notes.join('\n\n')}`);
}

export function restsOnNotes({ chain, workflow }: Pick<State, 'chain' | 'workflow'>): boolean {
  return chain.nodes.some((node) => {
    const def = findDef(workflow, node.template);
    return def !== null && isEditable(def);
  });
}

export function scratchOf({ run, chain }: State, fence: Fence): string {
  const notes = paragraphs([
    run.scratch === '' ? '' : `## Written down for all stories\n${run.scratch}`,
    chain.scratch === '' ? '' : `## Written down for this story\n${chain.scratch}`,
  ]);
  return fence.data(notes);
}

/** Empty unless the step may edit the chain. */
export function editingHelp(state: State, node: Node, def: TaskDef, file: string): string {
  if (!def.editable) return '';
  const { chain, workflow } = state;
  const item = state.items.find((one) => one.key === chain.key) ?? null;
  const rest = chain.nodes.filter((one) => one.state === 'waiting' || one.state === 'ready');
  const marks = (one: Node) => {
    const found = findDef(workflow, one.template);
    return [found?.mandatory ? 'mandatory' : '', found?.pinLast ? 'always last' : ''].filter((mark) => mark !== '');
  };
  const line = (one: Node) => `- ${[`${one.label} ${one.template}`, ...marks(one)].join(', ')}`;
  // The last step judges the whole, so findings become steps before it.
  const restart = def.pinLast
    ? ''
    : `- restart: target_step_id (this step, ${node.label}), new_description; begins it anew, at most ${def.maxRestarts} times\n`;
  return `## Editing the steps that follow
Where the rest of the work needs other steps, write a JSON array of operations to ${file}. Each has an "operation" and a "reason":
- add_after: target_step_id, new_steps [{type, description}]
- split: target_step_id, replacement_steps (two or more)
- skip: target_step_id
- reorder: new_order, each step that is not begun exactly once
- edit_description: target_step_id, new_description
${restart}All of them are taken, or none. Types: ${stepTypes(workflow, item)
    .map((one) => one.id)
    .join(', ')}.${rest.length === 0 ? '' : ` Steps not begun yet:\n${rest.map(line).join('\n')}`}`;
}
