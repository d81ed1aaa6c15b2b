// Takes the first executor of the project's list that works. One that is rate-limited for long, or that a person must
// repair, is replaced until its next try.

import type { DecisionDraft } from '../model/draft/draft.js';
import type { ExecutorsTold } from '../model/event.js';
import type { DownExecutor, ExecutorHealth, SettledNode } from '../model/model.js';
import type { Envelope } from '../report/envelope.js';
import type { JobDef, NodeDef, Workflow } from '../workflow/definition.js';
import { runsAgent, runsJob } from '../workflow/node-kinds.js';

export interface ChosenExecutor {
  readonly name: string;
  readonly isFirst: boolean;
  /** Its earliest start; null: now. */
  readonly from: number | null;
  readonly isBroken: boolean;
}

/** Null: this step has no list, so the job names its executor. */
function chosenFor({ run, workflow }: DecisionDraft, def: NodeDef, at: number): ChosenExecutor | null {
  if (run.executors === undefined || !followsList(def, workflow)) return null;
  return executorAt(run.executors, at);
}

function followsList(def: NodeDef, { roles }: Workflow): def is JobDef {
  if (!runsJob(def) || !runsAgent(def)) return false;
  return def.role === null || (roles[def.role]?.executor ?? null) === null;
}

function executorAt({ order, down }: ExecutorHealth, at: number): ChosenExecutor | null {
  const out = down.filter(({ state, until }) => state !== 'waiting' && until > at);
  const free = order.find((name) => !out.some((one) => one.name === name));
  if (free !== undefined) return { name: free, isFirst: free === order[0], from: null, isBroken: false };
  const limits = out.filter(({ state }) => state === 'replaced');
  const [first] = order;
  // Waiting does not repair anything.
  if (limits.length === 0)
    return first === undefined ? null : { name: first, isFirst: true, from: null, isBroken: true };
  const next = limits.reduce((best, one) => (one.until < best.until ? one : best));
  const from = Math.min(next.until, at + maxWaitMs);
  return { name: next.name, isFirst: next.name === first, from, isBroken: false };
}

/** Also tells when it returns to a replaced executor. */
export function takeExecutor(tx: DecisionDraft, def: NodeDef): ChosenExecutor | null {
  const chosen = chosenFor(tx, def, tx.at);
  const { executors } = tx.run;
  if (chosen === null || executors === undefined) return chosen;
  const isBack = ({ name, state, until }: DownExecutor) =>
    name === chosen.name && state !== 'waiting' && until <= tx.at;
  if (!executors.down.some(isBack)) return chosen;
  tx.setRun({ executors: { ...executors, down: executors.down.filter((one) => !isBack(one)) } });
  tx.notice({ type: 'executor_back', name: chosen.name });
  return chosen;
}

export function noteExecutor(tx: DecisionDraft, node: SettledNode, envelope: Envelope, told: ExecutorsTold): void {
  if (!followsList(tx.def(node), tx.workflow) || !told.order.includes(told.used)) return;
  const before = tx.run.executors?.down ?? [];
  const known = before.find(({ name }) => name === told.used) ?? null;
  const others = before.filter(({ name }) => name !== told.used && told.order.includes(name));
  const now = envelope.killed === null ? downNow(tx, node, envelope, told, known) : known;
  const down = now === null ? others : [...others, now];
  if (down.length === 0 && tx.run.executors === undefined) return;
  tx.setRun({ executors: { order: told.order, down } });
}

function downNow(
  tx: DecisionDraft,
  node: SettledNode,
  { fault }: Envelope,
  { used: name, fallbackAfterMs }: ExecutorsTold,
  known: DownExecutor | null,
): DownExecutor | null {
  const code = fault?.code ?? '';
  if (brokenCodes.has(code)) {
    return { name, code, since: tx.at, until: tx.at + brokenForMs, state: 'broken' };
  }
  const { retryAt } = node.last;
  if (!limitCodes.has(code) || retryAt === null) return null;
  const until = fault?.waitMs === undefined ? retryAt : tx.at + fault.waitMs;
  const since = known?.state === 'waiting' ? known.since : tx.at;
  const isWorn = node.abandons >= tx.job(node).abandons;
  const state = isWorn || until - since > fallbackAfterMs ? 'replaced' : 'waiting';
  return { name, code, since, until, state };
}

const limitCodes: ReadonlySet<string> = new Set(['rate_limited', 'overloaded']);
const brokenCodes: ReadonlySet<string> = new Set(['not_logged_in', 'not_installed', 'executor_missing']);
/** A person may have repaired it, and another failure costs only a moment. */
const brokenForMs = 3_600_000;

/** A person decides about longer limits. */
export const maxWaitMs = 6 * 3_600_000;

export interface Replacement {
  readonly failed: string;
  readonly code: string;
  readonly until: number | null;
  readonly by: string;
  readonly from: number | null;
}

/** Null: follow the workflow's route. */
export function replacementFor(tx: DecisionDraft, node: SettledNode): Replacement | null {
  const { executor: failed, outcome, reason, endedAt } = node.last;
  const found = tx.run.executors?.down.find(({ name, code }) => name === failed && code === reason);
  if (failed === undefined || found === undefined || outcome !== 'crashed' || endedAt !== tx.at) return null;
  const next = found.state === 'waiting' ? null : chosenFor(tx, tx.def(node), tx.at);
  if (next === null || next.isBroken || next.name === failed) return null;
  // Counts the wait too, so that a step cannot wait forever.
  if (next.from !== null && node.abandons >= tx.job(node).abandons) return null;
  const until = found.state === 'broken' ? null : found.until;
  return { failed, code: found.code, until, by: next.name, from: next.from };
}
