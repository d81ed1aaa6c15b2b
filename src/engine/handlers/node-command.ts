import { dispatch } from '../attempts/begin-attempt.js';
import { isOver, namedNode } from '../chain/chain.js';
import { resumeNode } from '../flow/advance.js';
import { addNote } from '../flow/ask-review.js';
import { dropItem } from '../flow/cancel.js';
import { hasRoom, loopOf } from '../flow/loops/loop.js';
import { freshen, revive } from '../flow/revive.js';
import { liveBeside, waitsForAnswer, whyWorkedOn } from '../model/draft/checkout-use.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import { isRunOver } from '../model/draft/transition.js';
import type { Node, SettledNode } from '../model/model.js';
import { asksPerson, hasBody, runsJob } from '../workflow/node-kinds.js';
import { stepNames } from './run-command.js';

/** Level manual only. */
export function runNamed(tx: DecisionDraft, name: string, instruction: string | null, by: string): string | null {
  const node = namedNode(tx.chain, name);
  if (!node) return `no step "${name}" here; there are ${stepNames(tx).join(', ')}`;
  const why = whyNotNamed(tx, node);
  if (why !== null) return why;
  const ready = freshen(tx, isOver(node) ? anew(tx, node) : node);
  tx.setChain({ notes: tx.chain.notes.filter((note) => note.kind !== 'instruction') });
  addNote(tx, 'instruction', { text: instruction, by });
  revive(tx);
  tx.reply({ type: 'going_on', step: node.template });
  dispatch(tx, ready);
  return null;
}

export function retryNode(tx: DecisionDraft, node: Node, note: string | null, by: string): string | null {
  const why = whyNotNow(tx) ?? whyNotIn(node, ['failed', 'cancelled', 'needs_human', 'ready'], 'tried again');
  if (why !== null) return why;
  const isRun = (!asksPerson(node) || node.state === 'failed') && (!hasBody(node) || node.state === 'needs_human');
  if (!isRun)
    return `there is nothing to retry: ${node.template} ${asksPerson(node) ? 'waits for a person' : 'starts its steps itself'}`;
  const ready = freshen(tx, node);
  addNote(tx, 'remark', { text: note, by }, { node });
  tx.reply({ type: 'retrying', item: tx.chain.key, step: node.template });
  revive(tx);
  resumeNode(tx, ready);
  return null;
}

/** Spends no budget, asks no person. */
export function retryAfterKill(tx: DecisionDraft, attempt: string): string | null {
  const node = tx.chain.nodes.find((one) => one.live?.id === attempt);
  if (!node?.live || node.state === 'cancelled') return 'that try has ended already';
  tx.setNode(node.id, { live: { ...node.live, again: true } });
  tx.effects.push({ type: 'cancel', attempt });
  tx.reply({ type: 'retrying', item: tx.chain.key, step: node.template });
  // Also lifts a pause.
  revive(tx);
  return null;
}

/** A person asked for the retry, so it needs no grant. */
export function retryKilled(tx: DecisionDraft, { id, last }: SettledNode): void {
  const node = tx.node(id);
  if (last.again && last.outcome === 'cancelled' && node?.state === 'ready') resumeNode(tx, node);
}

export function skipItem(tx: DecisionDraft, key: string, reason: string, by: string): string | null {
  const item = tx.items.find((one) => one.key === key);
  if (!item || item.status === 'done' || item.status === 'cancelled') return `${key} is ${item?.status ?? 'unknown'}`;
  const why = whyWorkedOn(tx, key);
  if (why !== null) return why;
  if (tx.run.live.some((one) => one.chain === key)) return `${key} is still running; stop it first`;
  tx.reply({ type: 'skipped', item: key, step: '' });
  dropItem(tx, item, by, reason);
  return null;
}

function anew(tx: DecisionDraft, node: Node): Node {
  const generation = node.generation + 1;
  return tx.moveNode(node.id, 'waiting', { generation, firstAttempt: null, skipReason: null });
}

function whyNotNamed(tx: DecisionDraft, node: Node): string | null {
  if (tx.run.level !== 'manual') return 'steps are named only at level manual; say "continue"';
  const [live] = liveBeside(tx);
  if (live) return `${live.step} is still running`;
  if (waitsForAnswer(tx)) return 'the checkout waits for an answer first';
  if (!runsJob(node)) return `${node.template} has no agent to start`;
  const isFull = tx.item?.status === 'failed' && !hasRoom(tx, loopOf(tx.item));
  return isFull ? 'another story is running' : whyNotNow(tx);
}

/** Null: steps can move. */
export function whyNotNow(tx: DecisionDraft): string | null {
  const { run, item } = tx;
  if (isRunOver(run.status)) return 'the run is over';
  if (!run.prepared) return 'it has not begun yet';
  const why = whyWorkedOn(tx);
  if (why !== null) return why;
  return item && item.status !== 'running' && item.status !== 'failed' ? `${item.key} is ${item.status}` : null;
}

export function whyNotIn(node: Node, states: readonly Node['state'][], what: string): string | null {
  return states.includes(node.state) ? null : `${node.template} is ${node.state}; it cannot be ${what} now`;
}
