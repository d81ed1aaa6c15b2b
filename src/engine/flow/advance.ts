// Going on: finds what is due in a chain and starts it, until something must be waited for.

import { dispatch } from '../attempts/begin-attempt.js';
import { currentNode, namedNode } from '../chain/chain.js';
import { factsOf } from '../chain/insert.js';
import { mayGoOn } from '../model/checkout-use.js';
import type { DecisionDraft } from '../model/draft.js';
import type { Node } from '../model/model.js';
import { holds } from '../workflow/index.js';
import { addNote, askPerson } from './ask-review.js';
import { finishChain } from './finish.js';
import { readEvidence } from './gate-facts.js';
import { enterLoop, needsWorktree, openWorktree } from './loops/loop.js';
import { reopenAll } from './loops/reopen.js';
import { askAbout } from './stuck-node.js';
import { waveOf } from './wave.js';

export function advance(tx: DecisionDraft): void {
  // Each turn passes a node or stops, so the chain's length bounds it.
  for (let turn = 0; turn <= tx.chain.nodes.length && mayGoOn(tx); turn++) {
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

/** A person asked for this very step, so whatever the level, it needs no further go. */
export function resumeNode(tx: DecisionDraft, node: Node): void {
  if (tx.run.level !== 'manual' || !isJob(node)) {
    grant(tx);
    advance(tx);
  } else if (mayGoOn(tx)) {
    dispatch(tx, node);
  }
}

/** Where each dispatch needs a person's go, this was it. */
export function grant(tx: DecisionDraft): void {
  if (tx.run.level === 'semi') tx.setRun({ credit: 1 });
}

/** Lets every chain that may have stood still look again. */
export function resumeChains(tx: DecisionDraft): void {
  wakeOthers(tx);
  advance(tx);
}

/** A story that failed goes no further itself, and leaves the checkout to others. */
export function resumeOthers(tx: DecisionDraft): void {
  if (tx.item === null || tx.item.status === 'running') advance(tx);
  else wakeOthers(tx);
}

/** A step whose files went back waits for a go again; it ended before that, so it is told of here. */
export function resumeAfterRollback(tx: DecisionDraft): void {
  // The checkout was not theirs meanwhile.
  wakeOthers(tx);
  if (tx.item === null || tx.item.status === 'running') advance(tx);
  const node = currentNode(tx.chain);
  const needsGo = tx.run.level === 'semi' && tx.run.credit === 0;
  if (needsGo && node?.state === 'ready' && mayGoOn(tx)) tellOfWait(tx, node);
}

/** Who says where it goes on says that it goes on. */
export function letGo(tx: DecisionDraft): void {
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
  if (node.kind === 'loop' && node.state === 'running') return enterLoop(tx, node);
  // Beside others it may have stopped while nobody asked about it.
  askAbout(tx, node);
  return 'waits';
}

function begin(tx: DecisionDraft, node: Node): 'waits' | 'passed' {
  const { when } = tx.def(node);
  if (node.state === 'waiting' && when !== null && !holds(when, factsOf(tx))) {
    tx.moveNode(node.id, 'skipped', { skipReason: { type: 'condition', when: when.text } });
    return 'passed';
  }
  if (isJob(node) && tx.run.level === 'manual') {
    startNamed(tx);
    return 'waits';
  }
  const isNew = node.state === 'waiting';
  const ready = isNew ? tx.moveNode(node.id, 'ready') : node;
  if (ready.kind === 'loop') {
    const loop = tx.moveNode(ready.id, 'running');
    if (isNew) reopenAll(tx, loop);
    return enterLoop(tx, loop);
  }
  if (isJob(ready)) dispatchIfGranted(tx, ready, isNew);
  else if (ready.kind === 'decision') readEvidence(tx, ready, false);
  else askPerson(tx, tx.moveNode(ready.id, 'needs_human'));
  return 'waits';
}

function isJob(node: Node): boolean {
  return node.kind === 'task' || node.kind === 'check';
}

/** What was named while there was no chain yet starts as soon as there is one. */
function startNamed(tx: DecisionDraft): void {
  const { named } = tx.run;
  const node = named && namedNode(tx.chain, named.step);
  if (!named || !node || node.state !== 'waiting' || !isJob(node)) return;
  const [next, ...then] = named.then ?? [];
  tx.setRun({ named: next === undefined ? null : { step: next, instruction: null, by: named.by, then } });
  addNote(tx, 'instruction', { text: named.instruction, by: named.by });
  dispatch(tx, tx.moveNode(node.id, 'ready'));
}

function dispatchIfGranted(tx: DecisionDraft, node: Node, isNew: boolean): void {
  if (isBeyondNamed(tx, node)) return;
  const { level, credit, only } = tx.run;
  // A step that a person named needs no further go.
  if (level === 'semi' && credit === 0 && !only) {
    // Told once: when it has become due, and again when a try of it has just ended.
    const hasJustEnded = node.last?.endedAt === tx.at;
    if (isNew || hasJustEnded) tellOfWait(tx, node);
    return;
  }
  // A dispatch that a fuse held back has cost no go.
  if (!dispatch(tx, node)) return;
  if (level === 'semi') tx.setRun({ credit: 0 });
  // One go is for all that may run side by side.
  for (const beside of waveOf(tx, node)) {
    if (only && !only.includes(beside.template)) continue;
    const due = beside.state === 'waiting' ? tx.moveNode(beside.id, 'ready') : beside;
    if (!dispatch(tx, due)) return;
  }
}

/** The steps that a person named are done: the run is held until somebody says go. */
function isBeyondNamed(tx: DecisionDraft, node: Node): boolean {
  const { only } = tx.run;
  if (!only || only.includes(node.template)) return false;
  tx.setRun({ only: null, held: true });
  tellOfWait(tx, node);
  return true;
}

function tellOfWait(tx: DecisionDraft, node: Node): void {
  tx.notice({ type: 'waits_for_go', item: tx.chain.key, step: node.template });
}
