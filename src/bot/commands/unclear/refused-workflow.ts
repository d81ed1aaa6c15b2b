// A run that names a workflow which does not exist: the nearest one is offered with the rest of the sentence.
import { dirname } from 'node:path';
import { listWorkflows, type ProjectConfig } from '../../../config/index.js';
import type { Plan } from '../../../dispatch/index.js';
import { nearestWord } from '../../../engine/index.js';
import type { Parsed } from '../../grammar/index.js';
import { view } from '../../views/view.js';
import { answer, type MessageContext, sayError } from '../message-context.js';
import { snapshotOf } from '../new-run.js';

/** null if the workflow can be read. */
export function refuseWorkflow(ctx: MessageContext, project: ProjectConfig, parsed: Parsed): Plan | null {
  const { workflow, note } = parsed;
  const said = workflow ?? project.workflow;
  const snapshot = snapshotOf(ctx, { workflow: said, project });
  if (!('refused' in snapshot)) return null;
  const { root } = project;
  const names = listWorkflows({ root, home: dirname(ctx.config.path) }).map(({ name }) => name);
  const near = names.includes(said) ? null : nearestWord(said, names);
  if (near === null) return sayError(ctx, snapshot.refused);
  const once = parsed.isOneShot ? ' once' : '';
  const inputs = Object.entries(parsed.inputs ?? {}).map(([key, value]) => ` ${key}=${value}`);
  const head = `start ${project.name} with ${near}${once}${inputs.join('')}`;
  const says = note === null ? head : `${head}: ${note}`;
  const label = note === null ? head : `${head}: ${note.split('\n')[0] ?? ''}`.slice(0, 60);
  const shown = view({ kind: 'error', text: snapshot.refused, offers: [{ label, says }] });
  return { events: [], messages: [answer(ctx, shown)], exit: 3 };
}
