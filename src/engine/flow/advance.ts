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

export function advance(step: DecisionDraft): void {
  // Each turn passes a node or stops, so the chain's length bounds it.
  for (let turn = 0; turn <= step.chain.nodes.length && mayGoOn(step); turn++) {
    if (needsWorktree(step)) {
      openWorktree(step);
      return;
    }
    const node = currentNode(step.chain);
    if (!node) {
      finishChain(step);
      return;
    }
    if (enter(step, node) === 'waits') return;
  }
}

/** A person asked for this very step, so whatever the level, it needs no further go. */
export function resumeNode(step: DecisionDraft, node: Node): void {
  if (step.run.level !== 'manual' || !isJob(node)) {
    grant(step);
    advance(step);
  } else if (mayGoOn(step)) {
    dispatch(step, node);
  }
}

/** Where each dispatch needs a person's go, this was it. */
export function grant(step: DecisionDraft): void {
  if (step.run.level === 'semi') step.setRun({ credit: 1 });
}

/** Lets every chain that may have stood still look again. */
export function resumeChains(step: DecisionDraft): void {
  wakeOthers(step);
  advance(step);
}

/** A story that failed goes no further itself, and leaves the checkout to others. */
export function resumeOthers(step: DecisionDraft): void {
  if (step.item === null || step.item.status === 'running') advance(step);
  else wakeOthers(step);
}

/** A step whose files went back waits for a go again; it ended before that, so it is told of here. */
export function resumeAfterRollback(step: DecisionDraft): void {
  // The checkout was not theirs meanwhile.
  wakeOthers(step);
  if (step.item === null || step.item.status === 'running') advance(step);
  const node = currentNode(step.chain);
  const needsGo = step.run.level === 'semi' && step.run.credit === 0;
  if (needsGo && node?.state === 'ready' && mayGoOn(step)) tellOfWait(step, node);
}

/** Who says where it goes on says that it goes on. */
export function letGo(step: DecisionDraft): void {
  if (!step.run.held) return;
  step.setRun({ held: false });
  wakeOthers(step);
}

export function wakeOthers(step: DecisionDraft): void {
  const running = step.items.filter((item) => item.status === 'running').map((item) => item.key);
  for (const chain of ['', ...running]) {
    if (chain === step.chain.key) continue;
    step.raise({ type: 'chain_resumed', run: step.run.id, chain, at: step.at, retryFailed: false });
  }
}

function enter(step: DecisionDraft, node: Node): 'waits' | 'passed' {
  if (node.state === 'waiting' || node.state === 'ready') return begin(step, node);
  if (node.kind === 'loop' && node.state === 'running') return enterLoop(step, node);
  // Beside others it may have stopped while nobody asked about it.
  askAbout(step, node);
  return 'waits';
}

function begin(step: DecisionDraft, node: Node): 'waits' | 'passed' {
  const { when } = step.def(node);
  if (node.state === 'waiting' && when !== null && !holds(when, factsOf(step))) {
    step.moveNode(node.id, 'skipped', { skipReason: { type: 'condition', when: when.text } });
    return 'passed';
  }
  if (isJob(node) && step.run.level === 'manual') {
    startNamed(step);
    return 'waits';
  }
  const isNew = node.state === 'waiting';
  const ready = isNew ? step.moveNode(node.id, 'ready') : node;
  if (ready.kind === 'loop') {
    const loop = step.moveNode(ready.id, 'running');
    if (isNew) reopenAll(step, loop);
    return enterLoop(step, loop);
  }
  if (isJob(ready)) dispatchIfGranted(step, ready, isNew);
  else if (ready.kind === 'decision') readEvidence(step, ready, false);
  else askPerson(step, step.moveNode(ready.id, 'needs_human'));
  return 'waits';
}

function isJob(node: Node): boolean {
  return node.kind === 'task' || node.kind === 'check';
}

/** What was named while there was no chain yet starts as soon as there is one. */
function startNamed(step: DecisionDraft): void {
  const { named } = step.run;
  const node = named && namedNode(step.chain, named.step);
  if (!named || !node || node.state !== 'waiting' || !isJob(node)) return;
  const [next, ...then] = named.then ?? [];
  step.setRun({ named: next === undefined ? null : { step: next, instruction: null, by: named.by, then } });
  addNote(step, 'instruction', { text: named.instruction, by: named.by });
  dispatch(step, step.moveNode(node.id, 'ready'));
}

function dispatchIfGranted(step: DecisionDraft, node: Node, isNew: boolean): void {
  if (isBeyondNamed(step, node)) return;
  const { level, credit, only } = step.run;
  // A step that a person named needs no further go.
  if (level === 'semi' && credit === 0 && !only) {
    // Told once: when it has become due, and again when a try of it has just ended.
    const hasJustEnded = node.last?.endedAt === step.at;
    if (isNew || hasJustEnded) tellOfWait(step, node);
    return;
  }
  // A dispatch that a fuse held back has cost no go.
  if (!dispatch(step, node)) return;
  if (level === 'semi') step.setRun({ credit: 0 });
  // One go is for all that may run side by side.
  for (const beside of waveOf(step, node)) {
    if (only && !only.includes(beside.template)) continue;
    const due = beside.state === 'waiting' ? step.moveNode(beside.id, 'ready') : beside;
    if (!dispatch(step, due)) return;
  }
}

/** The steps that a person named are done: the run is held until somebody says go. */
function isBeyondNamed(step: DecisionDraft, node: Node): boolean {
  const { only } = step.run;
  if (!only || only.includes(node.template)) return false;
  step.setRun({ only: null, held: true });
  tellOfWait(step, node);
  return true;
}

function tellOfWait(step: DecisionDraft, node: Node): void {
  step.notice({ type: 'waits_for_go', item: step.chain.key, step: node.template });
}
