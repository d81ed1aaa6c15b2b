// Derives an attempt's id, attaches notes and session, enforces limits.

import { isOver } from '../chain/chain.js';
import { ask, openOf, option } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { Attempt, Chain, HumanNote, Node } from '../model/model.js';
import { emptyEnvelope } from '../report/envelope.js';
import { whyInvalidCall } from '../workflow/index.js';
import { runsAgent, runsJob } from '../workflow/node-kinds.js';
import { type ChosenExecutor, takeExecutor } from './fallback.js';
import { moreUsd, raised, type SpendingLimit, spentLimit } from './spending-limits.js';

/** False: a limit stops the node. */
export function dispatch(tx: DecisionDraft, node: Node): boolean {
  if (stopsAtLimit(tx, node)) return false;
  const { run, chain } = tx;
  const attempt = beginAttempt(tx, node);
  const live = { attempt: attempt.id, chain: chain.key, node: node.id, step: node.template, startedAt: null };
  tx.setRun({ live: [...run.live, live] });
  const invalid = whyInvalid(tx, node);
  if (invalid === null) tx.effects.push({ type: 'dispatch', node: node.id, attempt: attempt.id });
  else failUnstarted(tx, attempt.id, invalid);
  tx.notice({ type: 'progress' });
  return true;
}

/** The arguments may come from an old file or another program. */
function whyInvalid(tx: DecisionDraft, node: Node): string | null {
  const def = tx.def(node);
  if (!runsJob(def) || def.call === null) return null;
  return whyInvalidCall(def.call, node.args ?? def.args ?? '');
}

function failUnstarted(tx: DecisionDraft, attempt: string, summary: string): void {
  const envelope = { ...emptyEnvelope, exit: 0, result: { status: 'failing', reason: null, summary } };
  tx.raise({ type: 'attempt_settled', run: tx.run.id, chain: tx.chain.key, at: tx.at, attempt, envelope });
}

/** Moves its notes out of the chain. */
export function beginAttempt(tx: DecisionDraft, node: Node): Attempt {
  const { run } = tx;
  const attempt = newAttempt(tx, node);
  tx.moveNode(node.id, 'queued', {
    live: attempt,
    dispatches: node.dispatches + 1,
    firstAttempt: node.firstAttempt ?? attempt.id,
  });
  if (attempt.notes.length > 0) {
    tx.setChain({ notes: tx.chain.notes.filter((note) => !attempt.notes.includes(note)) });
  }
  tx.setRun({ counters: { ...run.counters, dispatches: run.counters.dispatches + 1 } });
  return attempt;
}

function newAttempt(tx: DecisionDraft, node: Node): Attempt {
  const { run, chain } = tx;
  const executor = takeExecutor(tx, tx.def(node));
  return {
    id: `${run.home}-${run.id}-${chain.key || '_'}-${node.label}-g${node.generation}-d${node.dispatches + 1}`,
    generation: node.generation,
    number: node.attempt,
    state: 'queued',
    dispatchedAt: tx.at,
    startedAt: null,
    endedAt: null,
    worker: null,
    notes: notesFor(node, chain),
    outcome: null,
    reason: null,
    summary: null,
    claim: null,
    tests: null,
    checks: [],
    warnings: [],
    filesChanged: [],
    diffStat: null,
    durationMs: 0,
    costUsd: null,
    tokensIn: null,
    tokensOut: null,
    logPath: null,
    team: [],
    session: null,
    resumes: sessionFor(tx, node, executor),
    asks: [],
    denied: [],
    notBefore: notBeforeOf(node, executor),
    retryAt: null,
    program: null,
    ...(executor !== null && !executor.isFirst && { executor: executor.name }),
  };
}

/** A retry that a person asked for does not wait. */
function notBeforeOf({ abandons, last }: Node, executor: ChosenExecutor | null): number | null {
  if (abandons === 0) return last === null ? (executor?.from ?? null) : null;
  // The last attempt's wait was for its own executor.
  const isSame = executor === null || executor.name === last?.executor;
  return isSame ? (last?.retryAt ?? null) : executor.from;
}

/** An instruction goes out alone and verbatim; other notes wait. A check reads none. */
function notesFor(node: Node, chain: Chain): readonly HumanNote[] {
  if (!runsAgent(node)) return [];
  const isDue = (id: string) => chain.nodes.some((one) => one.id === id && !isOver(one));
  const notes = chain.notes.filter((note) => note.node === undefined || note.node === node.id || !isDue(note.node));
  const instructions = notes.filter((note) => note.kind === 'instruction');
  return instructions.length > 0 ? instructions : notes;
}

/** At the limit it asks a person, once. */
function stopsAtLimit(tx: DecisionDraft, node: Node): boolean {
  const { run } = tx;
  const isWorn = run.counters.dispatches >= run.dispatchLimit;
  const spent = run.finishing === node.id ? null : spentLimit(run, tx.at);
  if (spent === null && !isWorn) {
    // Another node is due, so the one allowed to finish is done.
    if (run.finishing !== null && run.finishing !== node.id) tx.setRun({ finishing: null });
    return false;
  }
  if (openOf(tx, 'fuse') === null) askForMore(tx, node, spent);
  return true;
}

function askForMore(tx: DecisionDraft, node: Node, spent: SpendingLimit | null): void {
  const why =
    spent === null
      ? `${tx.run.counters.dispatches} ${tx.run.counters.dispatches === 1 ? 'step' : 'steps'} ran, which is this run's limit.`
      : `Spent $${spent.spentUsd.toFixed(2)} of the $${spent.limitUsd.toFixed(2)} for ${nameOf[spent.scope]}.`;
  const more = spent === null ? `Allow ${moreDispatches} more` : `Allow $${moreUsd(spent.baseUsd).toFixed(2)} more`;
  const finish = spent === null ? [] : [option('finish', `Finish ${node.template} only`)];
  ask(tx, {
    kind: 'budget',
    subject: { type: 'fuse' },
    node,
    text: `${why}\nNext: ${node.template}`,
    options: [option('more', more), ...finish, option('abort', 'Abort')],
  });
}

const nameOf: Readonly<Record<SpendingLimit['scope'], string>> = {
  run: 'this run',
  day: 'the day',
  project: 'the project',
};

const moreDispatches = 100;

/** A person answered "more" at the reached limit. */
export function raiseLimit(tx: DecisionDraft): void {
  const spent = spentLimit(tx.run, tx.at);
  if (spent !== null) tx.setRun(raised(tx.run, spent, tx.at));
  else tx.setRun({ dispatchLimit: tx.run.dispatchLimit + moreDispatches });
}

/**
 * Null: a fresh session. A session continues after a question or spent budget, or if the node shares it with its role;
 * never another executor's.
 */
function sessionFor(tx: DecisionDraft, node: Node, executor: ChosenExecutor | null): string | null {
  const def = tx.def(node);
  const { last } = node;
  // After a rollback or a route back the session remembers work that is gone.
  const isOurs = (one: Attempt) => executor === null || one.executor === executor.name;
  const own = last?.generation === node.generation && isOurs(last) ? last : null;
  const isContinued = own?.outcome === 'needs_human' || own?.reason === 'budget';
  if (own?.session && isContinued) return own.session;
  if (!runsAgent(def) || def.freshSession) return null;
  const isShared = (one: Node) =>
    tx.run.rules === undefined
      ? roleOf(tx, one) === def.role
      : one.id === node.id || (def.role !== null && roleOf(tx, one) === def.role);
  const isCurrent = (one: Node) => tx.run.rules === undefined || one.last?.generation === one.generation;
  const others = tx.chain.nodes.filter((one) => isShared(one) && isCurrent(one)).flatMap((one) => one.last ?? []);
  const [latest] = others
    .filter((one) => one.session !== null && isOurs(one))
    .sort((one, other) => Number(other.endedAt) - Number(one.endedAt));
  return latest?.session ?? null;
}

function roleOf(tx: DecisionDraft, node: Node): string | null {
  const def = tx.def(node);
  return runsJob(def) ? def.role : null;
}
