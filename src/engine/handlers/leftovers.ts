// An aborted run's changes are discarded, kept on a branch, or left to the next task, which they never block.
import { clearUp, startOp } from '../flow/finish.js';
import { ask, openOf, option, supersede } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { GivenAnswer } from '../model/interaction-model.js';
import type { Interaction, LeftBehind, WorkspaceOp, WorkspaceResult } from '../model/model.js';
import type { Change } from '../report/envelope.js';

type Done = Extract<WorkspaceResult, { ok: true }>;
type Failed = Extract<WorkspaceResult, { ok: false }>;

export function takeLeftovers(tx: DecisionDraft, { left }: Done): void {
  tx.setRun({ left: left ?? null });
  if (!left) {
    tx.notice({ type: 'left_settled', note: 'Nothing of it is left in the folder.' });
    return;
  }
  askAboutLeft(tx, left, null);
}

function askAboutLeft(tx: DecisionDraft, left: Change, problem: string | null): void {
  ask(tx, {
    kind: 'choice',
    subject: { type: 'leftovers' },
    node: null,
    text: problem === null ? countLine(left) : `${countLine(left)}\n${problem}`,
    options: [
      option('discard', 'Discard, keep a diff file'),
      option('commit', 'Commit to a branch'),
      option('leave', 'Leave them'),
    ],
    work: { from: left.from, to: left.to, whole: left },
  });
}

function countLine({ stat: { files } }: Change): string {
  return `The aborted task left ${files} changed ${files === 1 ? 'file' : 'files'} in the folder.`;
}

/** `behind`: another task works there, so its files and branch must not move. */
export function whyNotClear({ subject }: Interaction, { behind }: GivenAnswer): string | null {
  if (subject.type !== 'leftovers' || behind === null) return null;
  return 'another task is working in this folder; answer once it has ended';
}

export function answerLeftovers(tx: DecisionDraft, { option: how }: GivenAnswer): void {
  const { left, id: run, task } = tx.run;
  if (!left || (how !== 'discard' && how !== 'commit')) {
    clearUp(tx);
    return;
  }
  const { from, to } = left;
  startOp(tx, (id) => ({
    ...{ id, kind: 'clear_left', how, from, to, keepAs: `left/${id}.diff` },
    message: `${(task.split('\n', 1)[0] ?? '').trim().slice(0, 72) || run} (aborted)`,
  }));
}

export function leftCleared(tx: DecisionDraft, { note }: Done): void {
  tx.setRun({ left: null });
  if (note !== null) tx.notice({ type: 'left_settled', note });
}

export function leftNotCleared(tx: DecisionDraft, { message }: Failed): void {
  const { left } = tx.run;
  if (left) askAboutLeft(tx, left, message);
}

/** The other run works there, so no file moves. */
export function handLeftOn(tx: DecisionDraft): string | null {
  const { left, branch, stash } = tx.run;
  if (!left) return 'nothing is left over';
  tx.setRun({ left: null, ...(branch !== null && { branch: { ...branch, isLeft: true } }) });
  supersede(tx, (one) => one.subject.type === 'leftovers');
  tx.notice({ type: 'left_settled', note: 'The next task dealt with what was left in the folder.' });
  if (stash !== null)
    tx.notice({ type: 'told', text: 'Your own changes are still in the stash; git stash list shows them.' });
  return null;
}

type Prepare = Extract<WorkspaceOp, { kind: 'prepare' }>;

export function buildOn(tx: DecisionDraft, { left }: Prepare): void {
  if (left?.how === 'build') tx.setRun({ work: { from: left.by.from, to: left.by.to } });
}

export function askAboutDirty(tx: DecisionDraft, { files, left }: Failed): void {
  if (openOf(tx, 'dirty') !== null) return;
  const others = left === undefined ? files : files.filter((file) => !left.files.includes(file));
  ask(tx, {
    kind: 'choice',
    subject: { type: 'dirty', ...(left === undefined ? {} : { left }) },
    node: null,
    text: [left && leftText(left), others.length > 0 && foreignText(tx.run.project, others)].filter(Boolean).join('\n'),
    options: [
      ...(left === undefined ? [] : [option('discard', 'Discard them, keep a diff file')]),
      ...(left === undefined || others.length > 0 ? [] : [option('build', 'Build on them')]),
      ...(left !== undefined && others.length === 0 ? [] : [option('stash', 'Stash them until the end')]),
      option('worktree', 'Work in a worktree beside them'),
      option('cancel', 'Cancel'),
    ],
  });
}

const namedMax = 10;

function leftText({ files, task }: LeftBehind): string {
  const title = (task.split('\n', 1)[0] ?? '').trim().slice(0, 60);
  return `${counted(files)} left over from “${title}”, which was aborted:${listed(files)}`;
}

function foreignText(project: string, files: readonly string[]): string {
  return `${project} has uncommitted changes:${listed(files)}`;
}

function counted(files: readonly string[]): string {
  return files.length === 1 ? '1 file is' : `${files.length} files are`;
}

function listed(files: readonly string[]): string {
  const more = files.length - namedMax;
  return `${files
    .slice(0, namedMax)
    .map((file) => `\n${file}`)
    .join('')}${more > 0 ? `\n… and ${more} more` : ''}`;
}
