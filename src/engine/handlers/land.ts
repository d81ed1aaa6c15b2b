// The branch of a run that ended while another had the folder: merged when a person says so, once the folder is free.
import { startOp } from '../flow/finish.js';
import { ask, openOf, option, settleInteraction, supersede } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import { keepPublished } from '../model/draft/freeze-work.js';
import type { Event } from '../model/event.js';
import type { GivenAnswer } from '../model/interaction-model.js';
import type { Interaction, WorkspaceOp, WorkspaceResult } from '../model/model.js';

type Done = Extract<WorkspaceResult, { ok: true }>;
type Failed = Extract<WorkspaceResult, { ok: false }>;
type Land = Extract<WorkspaceOp, { kind: 'land' }>;

const untilFree = 'another task is working in this folder; I will ask again once it is free';

export function offerLanding(tx: DecisionDraft): string | null {
  if (tx.run.unlanded !== 'waits') return 'nothing waits to be merged';
  if (openOf(tx, 'land') !== null || isLanding(tx)) return 'asked already';
  askToLand(tx, null);
  return null;
}

function isLanding({ run }: DecisionDraft): boolean {
  return run.ops.some(({ kind }) => kind === 'land');
}

function askToLand(tx: DecisionDraft, problem: string | null): void {
  const { branch, id, task, work } = tx.run;
  if (branch === null) return;
  const title = (task.split('\n', 1)[0] ?? '').trim().slice(0, 60);
  const question = `Merge ${id} “${title}” into ${branch.base}? It is on the branch ${branch.name}.`;
  ask(tx, {
    kind: 'confirm',
    subject: { type: 'land' },
    node: null,
    text: problem === null ? question : `${question}\n${problem}`,
    options: [option('merge', 'Merge now'), option('leave', 'Leave it on its branch')],
    ...(work !== undefined && { work: { from: work.from, to: work.to } }),
  });
}

/** Another run took the folder meanwhile: the card closes, and is asked anew. */
export function putOffLanding(tx: DecisionDraft, { subject }: Interaction, given: GivenAnswer): string | null {
  if (subject.type !== 'land' || given.option !== 'merge' || given.behind === null) return null;
  return putOff(tx);
}

function putOff(tx: DecisionDraft): string {
  tx.setRun({ unlanded: 'waits' });
  supersede(tx, ({ subject }) => subject.type === 'land');
  return untilFree;
}

export function answerLanding(tx: DecisionDraft, { id }: Interaction, given: GivenAnswer): void {
  if (given.option === 'merge') startLanding(tx, id);
  else tx.setRun({ unlanded: 'kept' });
}

function startLanding(tx: DecisionDraft, asked: string | null): void {
  startOp(tx, (id) => ({ id, kind: 'land', asked }));
}

export function landByName(tx: DecisionDraft, { by, where, behind }: Extract<Event, { type: 'land' }>): string | null {
  const { unlanded = null, branch, id } = tx.run;
  if (unlanded === null || branch === null) return `${id} has no branch that waits to be merged`;
  if (isLanding(tx)) return `${id} is being merged already`;
  if (behind !== null) return putOff(tx);
  if (tx.run.ops.length > 0) return 'the checkout is being worked on; try again in a moment';
  const asked = openOf(tx, 'land');
  const said = { by, option: 'merge', text: null, ...(where !== undefined && { where }) };
  if (asked !== null) settleInteraction(tx, asked, said);
  startLanding(tx, asked?.id ?? null);
  return null;
}

export function landed(tx: DecisionDraft, { asked }: Land, { note, delivered }: Done): void {
  tx.setRun({ unlanded: null });
  if (delivered) keepPublished(tx, delivered);
  tx.notice({ type: 'landed', how: 'merged', note: note ?? 'nothing to commit', files: [], card: asked });
}

/** A conflict is for a person or a task to resolve; everything else may pass, so it is asked again. */
export function notLanded(tx: DecisionDraft, { asked }: Land, { code, message, files }: Failed): void {
  if (code !== 'busy' && code !== 'conflict') {
    askToLand(tx, message);
    return;
  }
  tx.setRun({ unlanded: code === 'busy' ? 'waits' : 'kept' });
  tx.notice({ type: 'landed', how: code, note: message, files, card: asked });
}
