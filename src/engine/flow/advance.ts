// Starts due nodes of a chain until it must wait.

import { dispatch } from '../attempts/begin-attempt.js';
import { currentNode, namedNode } from '../chain/chain.js';
import { factsOf } from '../chain/insert.js';
import { mayAdvance } from '../model/draft/checkout-use.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import { type Node, unreachable } from '../model/model.js';
import { holds } from '../workflow/index.js';
import { hasBody, runsJob } from '../workflow/node-kinds.js';
import { addNote, askPerson } from './ask-review.js';
import { finishChain } from './finish.js';
import { readEvidence } from './gate-facts.js';
import { enterLoop, needsWorktree, openWorktree } from './loops/loop.js';
import { reopenAll } from './loops/reopen.js';
import { askAbout } from './stuck-node.js';
import { waveOf } from './wave.js';

export function advance(tx: DecisionDraft): void {
  // Each turn passes a node or stops, so the length bounds the loop.
  for (let turn = 0; turn <= tx.chain.nodes.length && mayAdvance(tx); turn++) {
    if (needsWorktree(tx)) {
      openWorktree(tx);
      return;
    }
    const node = currentNode(tx.chain);
    if (!node) {
      finishChain(tx);
      return;
    }
    if (enter(tx, node) === 'waits') return;
  }
}

/** A person asked for it, so it needs no grant. */
export function resumeNode(tx: DecisionDraft, node: Node): void {
  if (tx.run.level !== 'manual' || !runsJob(node)) {
    grant(tx);
    advance(tx);
  } else if (mayAdvance(tx)) {
    dispatch(tx, node);
  }
}

/** Level semi: a person allowed one dispatch. */
export function grant(tx: DecisionDraft): void {
  if (tx.run.level === 'semi') tx.setRun({ credit: 1 });
}

export function resumeChains(tx: DecisionDraft): void {
  wakeOthers(tx);
  advance(tx);
}

/** A failed story leaves the checkout to others. */
export function resumeOthers(tx: DecisionDraft): void {
  if (tx.item === null || tx.item.status === 'running') advance(tx);
  else wakeOthers(tx);
}

/** The attempt ended earlier, so the wait for a grant is announced here. */
export function resumeAfterRollback(tx: DecisionDraft): void {
  wakeOthers(tx);
  if (tx.item === null || tx.item.status === 'running') advance(tx);
  const node = currentNode(tx.chain);
  const needsGo = tx.run.level === 'semi' && tx.run.credit === 0;
  if (needsGo && node?.state === 'ready' && mayAdvance(tx)) announceWait(tx, node);
}

export function liftPause(tx: DecisionDraft): void {
  if (!tx.run.held) return;
  tx.setRun({ held: false });
  wakeOthers(tx);
}

export function wakeOthers(tx: DecisionDraft): void {
  const running = tx.items.filter((item) => item.status === 'running').map((item) => item.key);
  for (const chain of ['', ...running]) {
    if (chain === tx.chain.key) continue;
    tx.raise({ type: 'chain_resumed', run: tx.run.id, chain, at: tx.at, retryFailed: false });
  }
}

function enter(tx: DecisionDraft, node: Node): 'waits' | 'passed' {
  if (node.state === 'waiting' || node.state === 'ready') return begin(tx, node);
  if (hasBody(node) && node.state === 'running') return enterLoop(tx, node);
  // It stopped within a wave, where no card was sent.
  askAbout(tx, node);
  return 'waits';
}

function begin(tx: DecisionDraft, node: Node): 'waits' | 'passed' {
  const { when } = tx.def(node);
  if (node.state === 'waiting' && when !== null && !holds(when, factsOf(tx))) {
    tx.moveNode(node.id, 'skipped', { skipReason: { type: 'condition', when: when.text } });
    return 'passed';
  }
  if (runsJob(node) && tx.run.level === 'manual') {
    startNamed(tx);
    return 'waits';
  }
  const isNew = node.state === 'waiting';
  const ready = isNew ? tx.moveNode(node.id, 'ready') : node;
  return beginReady(tx, ready, isNew);
}

function beginReady(tx: DecisionDraft, node: Node, isNew: boolean): 'waits' | 'passed' {
  switch (node.kind) {
    case 'task':
    case 'check':
      dispatchIfGranted(tx, node, isNew);
      return 'waits';
    case 'decision':
      readEvidence(tx, node, false);
      return 'waits';
    case 'human':
      askPerson(tx, tx.moveNode(node.id, 'needs_human'));
      return 'waits';
    case 'loop': {
      const loop = tx.moveNode(node.id, 'running');
      if (isNew) reopenAll(tx, loop);
      return enterLoop(tx, loop);
    }
    default:
      return unreachable(node.kind);
  }
}

/** A person named the step before its chain existed. */
function startNamed(tx: DecisionDraft): void {
  const { named } = tx.run;
  const node = named && namedNode(tx.chain, named.step);
  if (!named || !node || node.state !== 'waiting' || !runsJob(node)) return;
  const [next, ...then] = named.then ?? [];
  tx.setRun({ named: next === undefined ? null : { step: next, instruction: null, by: named.by, then } });
  addNote(tx, 'instruction', { text: named.instruction, by: named.by });
  dispatch(tx, tx.moveNode(node.id, 'ready'));
}

function dispatchIfGranted(tx: DecisionDraft, node: Node, isNew: boolean): void {
  if (isBeyondNamed(tx, node)) return;
  const { level, credit, only } = tx.run;
  // A named step needs no grant.
  if (level === 'semi' && credit === 0 && !only) {
    // Once when due, and again after each attempt.
    const hasJustEnded = node.last?.endedAt === tx.at;
    if (isNew || hasJustEnded) announceWait(tx, node);
    return;
  }
  if (!dispatch(tx, node)) return;
  if (level === 'semi') tx.setRun({ credit: 0 });
  // One grant covers the wave.
  for (const beside of waveOf(tx, node)) {
    if (only && !only.includes(beside.template)) continue;
    const due = beside.state === 'waiting' ? tx.moveNode(beside.id, 'ready') : beside;
    if (!dispatch(tx, due)) return;
  }
}

/** True: all named steps are done, so hold the run. */
function isBeyondNamed(tx: DecisionDraft, node: Node): boolean {
  const { only } = tx.run;
  if (!only || only.includes(node.template)) return false;
  tx.setRun({ only: null, held: true });
  announceWait(tx, node);
  return true;
}

function announceWait(tx: DecisionDraft, node: Node): void {
  tx.notice({ type: 'waits_for_go', item: tx.chain.key, step: node.template });
}
