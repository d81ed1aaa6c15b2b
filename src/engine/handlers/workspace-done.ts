import { goBack } from '../chain/chain.js';
import { insertStep } from '../chain/insert.js';
import { advance, resumeAfterRollback, resumeOthers } from '../flow/advance.js';
import { clearUp, deliveryNote, endChain, endRun, noteChanges, startOp } from '../flow/finish.js';
import { countOn, fail } from '../flow/follow-route.js';
import { judgeGate } from '../flow/gate.js';
import { addPhases, surveyFor } from '../flow/loops/loop.js';
import { askAgain, openStuck } from '../flow/stuck-node.js';
import { ask, option, settingsWaysOut } from '../interactions/interaction.js';
import { chainOf } from '../model/draft/checkout-use.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import { keepDelivered, keepPublished } from '../model/draft/freeze-work.js';
import { noteForStory } from '../model/draft/scratch-notes.js';
import { isRunOver } from '../model/draft/transition.js';
import { type Node, unreachable, type WorkspaceOp, type WorkspaceResult } from '../model/model.js';
import type { Survey } from '../survey/survey.js';
import { surveyFactsFor } from '../survey/survey-facts.js';
import { coded } from '../text/result-codes.js';
import type { OnItemDone } from '../workflow/definition.js';
import { hasBody } from '../workflow/node-kinds.js';
import { landed, notLanded } from './land.js';
import { askAboutDirty, buildOn, leftCleared, leftNotCleared, takeLeftovers } from './leftovers.js';
import { retryNode } from './node-command.js';
import { rolledBack } from './rollback.js';
import { takePosition } from './starting-position.js';
import { isPlaced } from './takeover.js';

type Failed = Extract<WorkspaceResult, { ok: false }>;
type Done = Extract<WorkspaceResult, { ok: true }>;

export function workspaceDone(tx: DecisionDraft, id: string, result: WorkspaceResult): string | null {
  const op = tx.run.ops.find((one) => one.id === id);
  if (!op) return 'superseded';
  if (tx.chain.key !== chainOf(op)) return 'another chain';
  tx.setRun({ ops: tx.run.ops.filter((one) => one !== op) });
  if (result.ok) take(tx, op, result);
  else if (isRunOver(tx.run.status) || op.kind === 'drop') tellOfFailure(tx, op, result);
  else if (result.code === 'conflict' && op.kind === 'merge') mendConflict(tx, op, result);
  else askAbout(tx, op, result);
  // A stash is restored even if the run ended meanwhile.
  if (op.kind === 'leave') leftBehind(tx, result.ok);
  if (isRunOver(tx.run.status) && op.kind !== 'restore') clearUp(tx);
  return null;
}

function tellOfFailure(tx: DecisionDraft, op: WorkspaceOp, failed: Failed): void {
  if (op.kind === 'land') {
    notLanded(tx, op, failed);
    return;
  }
  if (op.kind === 'clear_left') {
    leftNotCleared(tx, failed);
    return;
  }
  if (op.kind === 'find_left') tx.setRun({ left: null });
  tx.notice({ type: 'told', text: failed.message });
  if (op.kind === 'drop') dropped(tx, op.chain);
}

/** Unless it was resumed. */
function dropped(tx: DecisionDraft, key: string): void {
  tx.setItem(key, { slot: null });
  if (!isRunOver(tx.run.status)) advance(tx);
}

function take(tx: DecisionDraft, op: WorkspaceOp, result: Done): void {
  if (op.kind === 'land') {
    landed(tx, op, result);
    return;
  }
  if (op.kind === 'clear_left') {
    leftCleared(tx, result);
    return;
  }
  const isForTheEnd = op.kind === 'publish' && !isRunOver(tx.run.status);
  if (result.note && !isForTheEnd) tx.notice({ type: 'told', text: result.note });
  if (op.kind === 'restore') {
    tx.setRun({ stash: null });
    return;
  }
  if (op.kind === 'drop') {
    dropped(tx, op.chain);
    return;
  }
  if (op.kind === 'leave') return;
  if (op.kind === 'find_left') {
    takeLeftovers(tx, result);
    return;
  }
  if (result.stash !== null) tx.setRun({ stash: result.stash });
  if (result.base !== undefined && op.kind === 'prepare') tx.setRun({ base: result.base });
  if (result.branch) tx.setRun({ branch: { ...result.branch, isLeft: false } });
  if (!isRunOver(tx.run.status)) continueAfter(tx, op, result);
}

/** The branch stays on record, with or without its checkout. */
function leftBehind(tx: DecisionDraft, isGone: boolean): void {
  const { branch } = tx.run;
  if (branch !== null) tx.setRun({ branch: { ...branch, ...(isGone ? { folder: null } : {}), isLeft: true } });
}

type Working = Exclude<WorkspaceOp, { kind: 'restore' | 'drop' | 'leave' | 'find_left' | 'clear_left' | 'land' }>;

function continueAfter(tx: DecisionDraft, op: Working, result: Done): void {
  switch (op.kind) {
    case 'prepare':
      tx.setRun({ prepared: true });
      buildOn(tx, op);
      if (isPlaced(tx) || tx.workflow.survey === null || tx.workflow.positions.length === 0) advance(tx);
      else surveyFor(tx, null);
      break;
    case 'open':
      keepWorktree(tx, result);
      advance(tx);
      break;
    case 'deliver':
    case 'merge':
      delivered(tx, op, result);
      break;
    case 'branch':
      takeBranch(tx, result);
      break;
    case 'rollback':
      if (op.after === 'go_back') rolledBack(tx, op.node);
      else resumeAfterRollback(tx);
      break;
    case 'read':
      takeRead(tx, op, result);
      break;
    case 'publish':
      if (result.delivered) keepPublished(tx, result.delivered);
      if (result.isUnlanded) tx.setRun({ unlanded: 'waits' });
      endRun(tx, 'completed', result.note);
      break;
    case 'settle_settings':
      tryAgain(tx, op.node);
      break;
    default:
      unreachable(op);
  }
}

/** The work was not measured: retry. A refused retry asks again. */
function tryAgain(tx: DecisionDraft, id: string): void {
  const why = retryNode(tx, nodeOf(tx, id), null, '');
  askAgain(tx);
  // If it was skipped meanwhile, the chain goes on behind it.
  if (why !== null) resumeOthers(tx);
}

function nodeOf(tx: DecisionDraft, id: string): Node {
  const node = tx.node(id);
  if (!node) throw new Error(`no node ${id} that the checkout was worked on for`);
  return node;
}

function keepWorktree(tx: DecisionDraft, { worktree }: Done): void {
  const { item } = tx;
  if (item && worktree) tx.setItem(item.key, { values: { ...item.values, ...worktree } });
}

function delivered(tx: DecisionDraft, op: Working, result: Done): void {
  if (op.kind === 'merge') tx.record('story_merged', null, { commit: result.commit });
  noteStray(tx, result.onBranch);
  noteChanges(tx, result.commit);
  if (result.delivered) keepDelivered(tx, result.delivered);
  endChain(tx, deliveryNote(result.commit, result.diffStat, tx.run.strayed ?? null));
}

function noteStray(tx: DecisionDraft, now: string | undefined): void {
  const { base, branch, strayed } = tx.run;
  if (now === undefined || base === undefined || branch !== null || now === base || now === strayed) return;
  tx.setRun({ strayed: now });
  tx.notice({ type: 'told', text: `The agent switched from ${base} to ${now}. The work is there.` });
}

function takeBranch(tx: DecisionDraft, { branch, base }: Done): void {
  const name = branch?.name ?? base;
  if (name !== undefined) tx.setRun({ context: { ...tx.run.context, branch: name } });
  if (branch && tx.run.deliver === 'commit') tx.setRun({ deliver: 'branch' });
  advance(tx);
}

function takeRead(tx: DecisionDraft, op: Extract<WorkspaceOp, { kind: 'read' }>, result: Done): void {
  if (op.node === null) {
    takePosition(tx, surveyIn(result));
    return;
  }
  const node = nodeOf(tx, op.node);
  if (hasBody(node)) walkPhases(tx, node, surveyIn(result));
  else judgeGate(tx, node, result, op.isConfirmed);
}

function surveyIn({ survey }: Done): Survey {
  if (!survey) throw new Error('the survey that was asked for is missing');
  return survey;
}

function walkPhases(tx: DecisionDraft, loop: Node, survey: Survey): void {
  const facts = surveyFactsFor(tx.run, survey);
  const phases = [facts['phases']].flat().map(String);
  if (phases.length > 0) {
    const walked = String(facts['milestone']);
    tx.setRun({ context: { ...tx.run.context, milestone: walked } });
    addPhases(tx, loop, phases, walked);
    advance(tx);
    return;
  }
  const problem = typeof facts['problem'] === 'string' ? `\n${facts['problem']}` : '';
  const text = coded('E002', 'No phase is left to walk, or none can be read');
  openStuck(tx, tx.moveNode(loop.id, 'needs_human'), `${text}${problem}`);
}

type Conflict = NonNullable<OnItemDone['conflict']>;

function conflictEdge({ insert, before }: Conflict): string {
  return `${insert}>${before}`;
}

export function retryMerge(tx: DecisionDraft, op: WorkspaceOp): void {
  const conflict = tx.item && tx.loop(tx.item).onItemDone?.conflict;
  if (conflict) {
    const edges = Object.entries(tx.chain.edges).filter(([edge]) => edge !== conflictEdge(conflict));
    tx.setChain({ edges: Object.fromEntries(edges) });
  }
  startOp(tx, (id) => ({ ...op, id }));
}

/**
 * Inserts the resolving step before the configured one, which repeats. Its `max_loops` is the bound; then a person
 * decides.
 */
function mendConflict(tx: DecisionDraft, op: WorkspaceOp, result: Failed): void {
  const { item } = tx;
  const conflict = item && tx.loop(item).onItemDone?.conflict;
  const before = conflict && tx.chain.nodes.findLast((node) => node.template === conflict.before);
  if (!item || !conflict || !before) {
    askAbout(tx, op, result);
    return;
  }
  const edge = conflictEdge(conflict);
  const taken = tx.chain.edges[edge] ?? 0;
  if (taken >= tx.job({ template: conflict.insert }).maxLoops) {
    const message = `${result.message}\n${taken} × ${conflict.insert} did not resolve it`;
    askAbout(tx, op, { ...result, message });
    return;
  }
  countOn(tx, edge);
  tx.moveItem(item.key, 'running');
  noteForStory(tx, `The branch does not apply to the base; in conflict: ${result.files.join(', ')}`);
  goBack(tx, null, before);
  const why = insertStep(tx, conflict.insert, before);
  if (why === null) {
    tx.notice({ type: 'told', text: `${item.key} conflicts with the base: ${result.files.slice(0, 5).join(', ')}` });
    advance(tx);
  } else {
    const stopped = tx.moveNode(tx.moveNode(before.id, 'ready').id, 'needs_human');
    fail(tx, tx.moveNode(stopped.id, 'failed'), { why, endsRun: true });
  }
}

function askAbout(tx: DecisionDraft, op: WorkspaceOp, result: Failed): void {
  if (result.code === 'dirty' && op.kind === 'prepare') {
    askAboutDirty(tx, result);
    return;
  }
  const without = withoutIt[op.kind];
  ask(tx, {
    kind: 'escalation',
    subject: { type: 'workspace', op, ...(result.code === 'large' ? { isLarge: true } : {}) },
    // Closes when the gate is skipped or judges again.
    node: op.kind === 'read' && op.node !== null ? tx.node(op.node) : null,
    text: `${result.message}${filesOf(result)}`,
    options:
      result.code === 'settings'
        ? settingsWaysOut
        : [
            ...(result.code === 'large' ? [option('accept', 'Take them along')] : []),
            option('retry', result.code === 'large' ? 'Look again' : 'Retry'),
            ...(without === null ? [] : [option('go_on', without)]),
            option('abort', 'Abort'),
          ],
  });
}

const withoutIt: Readonly<Record<WorkspaceOp['kind'], string | null>> = {
  prepare: null,
  deliver: 'Go on without a commit',
  branch: 'Go on without a branch',
  rollback: 'Leave it',
  open: null,
  merge: 'Give the story up',
  drop: 'Leave it',
  read: null,
  publish: 'End without it',
  leave: null,
  find_left: null,
  clear_left: null,
  land: null,
  restore: 'Leave it',
  settle_settings: null,
};

const maxFilesShown = 10;

function filesOf({ files }: Failed): string {
  const shown = files.slice(0, maxFilesShown).map((file) => `\n${file}`);
  const more = files.length - maxFilesShown;
  return `${shown.join('')}${more > 0 ? `\n… and ${more} more` : ''}`;
}
