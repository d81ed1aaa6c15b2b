// Records result and cost, then follows the outcome.

import { beginAttempt } from '../attempts/begin-attempt.js';
import { maxWaitMs, noteExecutor, replacementFor } from '../attempts/fallback.js';
import { resolveOutcome } from '../attempts/outcome.js';
import { countUnpriced, owed, pay } from '../attempts/pay.js';
import { scopeOf } from '../attempts/scope.js';
import { currentNode } from '../chain/chain.js';
import { advance, resumeChains, resumeOthers, wakeOthers } from '../flow/advance.js';
import { startOp } from '../flow/finish.js';
import { follow, retryWithAnother } from '../flow/follow-route.js';
import { keepResults } from '../flow/keep-results.js';
import { withStories } from '../flow/loops/story-list.js';
import { freshen, revive } from '../flow/revive.js';
import { closeAsks } from '../interactions/agent-asks.js';
import { openOf, supersede } from '../interactions/interaction.js';
import { leaveUnheardWords } from '../interactions/spoken-words.js';
import { isTakenBack, waitsForAnswer, whyBusy, whyOpened, whyWorkedOn } from '../model/draft/checkout-use.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import { keepWork } from '../model/draft/freeze-work.js';
import { noteForAll, noteForStory } from '../model/draft/scratch-notes.js';
import { isRunOver } from '../model/draft/transition.js';
import type { Event, ExecutorsTold } from '../model/event.js';
import type { Attempt, Node, Resolved, SettledNode } from '../model/model.js';
import { latestEvidence, withEvidenceOf } from '../prompts/latest-evidence.js';
import { restsOnNotes } from '../prompts/step-notes.js';
import type { Ask, DiffStat, Envelope } from '../report/envelope.js';
import { fill } from '../text/template.js';
import { runsAgent } from '../workflow/node-kinds.js';
import { retryKilled, whyNotNow } from './node-command.js';
import { beginAnew, takeEdits } from './proposed-edits.js';

export function startAttempt(tx: DecisionDraft, attempt: string, worker: string): string | null {
  const node = tx.chain.nodes.find((one) => one.live?.id === attempt);
  if (!node?.live || node.state !== 'queued') return 'superseded';
  tx.moveNode(node.id, 'running', { live: { ...node.live, state: 'running', startedAt: tx.at, worker } });
  const live = tx.run.live.map((one) => (one.attempt === attempt ? { ...one, startedAt: tx.at } : one));
  tx.setRun({ live });
  tx.notice({ type: 'progress' });
  return null;
}

export function settleAttempt(
  tx: DecisionDraft,
  attempt: string,
  envelope: Envelope,
  executors?: ExecutorsTold,
): string | null {
  const node = tx.chain.nodes.find((one) => one.live?.id === attempt);
  if (!node?.live) return adoptLate(tx, attempt, envelope);
  tx.setRun({ live: tx.run.live.filter((one) => one.attempt !== attempt) });
  leaveUnheardWords(tx, attempt);
  keepWritten(tx, envelope);
  keepWork(tx, envelope);
  const judged = closeAsks(tx, node, attempt, resolve(tx, node, node.live, envelope));
  const edited = takeEdits(tx, node, envelope, judged);
  const outcome = warnOfSilence(tx, node, edited.outcome);
  const settled = record(tx, node, { ...node.live, ...usedBy(executors) }, envelope, outcome);
  if (executors !== undefined) noteExecutor(tx, settled, envelope, executors);
  if (node.state === 'cancelled') return null;
  if (edited.again !== null) beginAnew(tx, settled, edited.again);
  else goWhereItLeads(tx, settled, envelope, outcome);
  retryKilled(tx, settled);
  // Level manual: another chain may wait for this.
  if (tx.run.level === 'manual') resumeChains(tx);
  else resumeOthers(tx);
  return null;
}

/** A permission that was denied meanwhile is settled. */
function resolve(tx: DecisionDraft, node: Node, live: Attempt, envelope: Envelope): Resolved {
  const isOpen = ({ permission }: Ask) => permission === null || !live.denied.includes(permission.mark);
  const asks = (envelope.asks ?? []).filter(isOpen);
  return outcomeOf(tx, node, { ...envelope, asks }, live);
}

function outcomeOf(tx: DecisionDraft, node: Node, envelope: Envelope, live: Attempt): Resolved {
  return withStories(tx, resolveOutcome(envelope, tx.job(node), tx.workflow, scopeOf(tx, node, live)));
}

/** The pass counts, but later steps learn nothing from it. */
function warnOfSilence(tx: DecisionDraft, node: Node, outcome: Resolved): Resolved {
  const isSilent = outcome.kind === 'pass' && !outcome.summary && runsAgent(node);
  if (!isSilent || !restsOnNotes(tx)) return outcome;
  return {
    ...outcome,
    warnings: [...outcome.warnings, 'it left no SUMMARY, so the steps after it know nothing of it'],
  };
}

/** A run's own branch stays, regardless of proposals. */
function proposeBranch(tx: DecisionDraft, settled: SettledNode): void {
  const def = tx.job(settled);
  const template = runsAgent(def) ? def.branch : undefined;
  if (template === undefined || tx.chain.key !== '') return;
  const { branch, context, task, id: run, project } = tx.run;
  if (branch !== null) {
    tx.setRun({ context: { ...context, branch: branch.name } });
    return;
  }
  const name = fill(template, { ...context, task, run_id: run, project }).text.trim();
  if (name !== '') startOp(tx, (id) => ({ id, kind: 'branch', chain: '', name }));
}

function goWhereItLeads(tx: DecisionDraft, settled: SettledNode, envelope: Envelope, outcome: Resolved): void {
  if (outcome.kind === 'pass') {
    keepResults(tx, settled, envelope, outcome);
    proposeBranch(tx, settled);
  }
  const replaced = replacementFor(tx, settled);
  if (replaced === null) {
    follow(tx, settled, outcome);
    return;
  }
  retryWithAnother(tx, settled, outcome, replaced.from === null ? 'nothing' : 'abandons');
  tx.notice({ type: 'executor_replaced', ...replaced });
}

function usedBy(told: ExecutorsTold | undefined): Pick<Attempt, 'executor'> {
  return told === undefined ? {} : { executor: told.used };
}

/** Adopts a pass after its timeout, if allowed and not retried since. */
function adoptLate(tx: DecisionDraft, attempt: string, envelope: Envelope): string | null {
  const node = tx.chain.nodes.find((one) => one.last?.id === attempt);
  const isWaiting = node?.state === 'needs_human' || node?.state === 'failed';
  if (node?.last?.outcome !== 'timeout' || !isWaiting || !tx.workflow.policy.adoptLate) return 'superseded';
  if (isRunOver(tx.run.status) || whyBusy(tx) !== null || (tx.item && tx.item.status !== 'running'))
    return 'superseded';
  const outcome = outcomeOf(tx, node, envelope, node.last);
  if (outcome.kind !== 'pass') return 'superseded';
  // No person granted tries, so budgets stay.
  supersede(tx, (one) => one.chain === tx.chain.key && one.node === node.id);
  const adopted = tx.moveNode(tx.moveNode(node.id, 'ready').id, 'running');
  const settled = record(tx, adopted, node.last, withLargerBill(node.last, envelope), outcome);
  revive(tx);
  goWhereItLeads(tx, settled, envelope, outcome);
  advance(tx);
  return null;
}

/** A late report has the total, the first end a part. */
function withLargerBill(settled: Attempt, envelope: Envelope): Envelope {
  const larger = (one: number | null, other: number | null) =>
    one === null || other === null ? (one ?? other) : Math.max(one, other);
  return {
    ...envelope,
    costUsd: larger(settled.costUsd, envelope.costUsd),
    tokensIn: larger(settled.tokensIn, envelope.tokensIn),
    tokensOut: larger(settled.tokensOut, envelope.tokensOut),
  };
}

/** Notes outlive the attempt. */
function keepWritten(tx: DecisionDraft, { scratch, progress }: Envelope): void {
  noteForStory(tx, scratch.item);
  noteForAll(tx, scratch.run);
  if (progress !== null) tx.setRun({ progress });
}

/** The agent began and ended outside Bosun. */
export function settleReported(
  tx: DecisionDraft,
  { envelope, about, opened }: Extract<Event, { type: 'reported' }>,
): string | null {
  const node = opened === undefined ? readyForReport(tx) : readyInSession(tx, opened);
  if (typeof node === 'string') return node;
  // Stale: another report settled the step meanwhile.
  if (about !== undefined && (about.node !== node.id || about.dispatches !== node.dispatches)) {
    return 'the step that it is about has gone on meanwhile';
  }
  supersede(tx, (one) => one.chain === tx.chain.key && one.node === node.id);
  const attempt = beginAttempt(tx, node.state === 'waiting' ? tx.moveNode(node.id, 'ready') : node);
  tx.moveNode(node.id, 'running', { live: { ...attempt, state: 'running', startedAt: tx.at, worker: 'by hand' } });
  const ignored = settleAttempt(tx, attempt.id, envelope);
  // The session held back every chain.
  if (opened !== undefined) wakeOthers(tx);
  return ignored;
}

/** A string is the reason against it. */
function readyInSession(tx: DecisionDraft, key: string): Node | string {
  const { opened } = tx.run;
  if (opened?.key !== key) return 'that session is not open';
  tx.setRun({ opened: null });
  const why = whyNotNow(tx) ?? whyBusy(tx);
  if (why !== null) return why;
  if (waitsForAnswer(tx)) return 'the checkout waits for an answer first';
  const node = currentNode(tx.chain);
  if (node?.id !== opened.node || !runsAgent(node)) return `${opened.step} is not the step that is due`;
  tx.notice({ type: 'session', key, step: opened.step, by: opened.by, state: 'reported' });
  if (node.state === 'ready' || node.state === 'waiting') return node;
  const ready = freshen(tx, node);
  revive(tx);
  return ready;
}

function readyForReport(tx: DecisionDraft): Node | string {
  const { run, item } = tx;
  if (run.status !== 'running' && run.status !== 'paused') return `the run is ${run.status}`;
  const opened = whyOpened(tx);
  if (opened !== null) return opened;
  if (!run.prepared || whyWorkedOn(tx) !== null) return 'the checkout is being worked on';
  if (item && item.status !== 'running') return `${item.key} is ${item.status}`;
  if (openOf(tx, 'position')) return 'its position is not known yet';
  if (waitsForAnswer(tx)) return 'the checkout waits for an answer first';
  const node = currentNode(tx.chain);
  if (!node || !runsAgent(node)) return 'no step is ready for a report';
  if (node.state !== 'ready' && node.state !== 'waiting') return `${node.template} is ${node.state}`;
  return whyBusy(tx) ?? node;
}

function record(tx: DecisionDraft, node: Node, live: Attempt, envelope: Envelope, outcome: Resolved): SettledNode {
  const isUnpriced =
    envelope.isUnpriced === true && envelope.costUsd === null && runsAgent(node) && live.startedAt !== null;
  const settled: Attempt = {
    ...live,
    state: 'settled',
    endedAt: tx.at,
    outcome: node.state === 'cancelled' ? 'cancelled' : outcome.kind,
    reason: outcome.reason,
    summary: outcome.summary,
    claim: outcome.claim,
    tests: outcome.tests,
    checks: envelope.checks,
    warnings: outcome.warnings,
    ...workOf(tx, node, envelope),
    ...wroteOf(tx, node, envelope),
    durationMs: envelope.durationMs,
    costUsd: envelope.costUsd,
    tokensIn: envelope.tokensIn,
    tokensOut: envelope.tokensOut,
    logPath: envelope.logPath,
    team: envelope.team,
    session: envelope.session ?? null,
    asks: outcome.asks,
    retryAt: retryAt(tx, node, envelope),
    program: envelope.program ?? null,
    ...(isUnpriced && { isUnpriced }),
    ...(envelope.work && { tree: envelope.work.whole.to }),
  };
  pay(tx, owed(live, envelope));
  if (isUnpriced !== (live.isUnpriced === true)) countUnpriced(tx, isUnpriced ? 1 : -1);
  tx.setChain({ evidence: withEvidenceOf(latestEvidence(tx.chain), settled) });
  if (settled.tests !== null && (tx.run.rules ?? 0) >= 3) tx.setRun({ tests: settled.tests });
  return { ...tx.setNode(node.id, { live: null, last: settled }), last: settled };
}

/** Includes earlier attempts' changes: a reviewer sees the step's whole work. */
function workOf(tx: DecisionDraft, node: Node, envelope: Envelope): Pick<Attempt, 'filesChanged' | 'diffStat'> {
  const reported = envelope.handoff?.front?.filesChanged ?? [];
  const isMeasured = envelope.diffStat !== null || envelope.filesChanged.length > 0;
  const own = isMeasured ? envelope.filesChanged : reported;
  const { last } = node;
  const wasTakenBack = isTakenBack(tx, node);
  if (last === null || wasTakenBack || last.filesChanged.length === 0) {
    return { filesChanged: own, diffStat: envelope.diffStat };
  }
  const filesChanged = [...new Set([...last.filesChanged, ...own])];
  return { filesChanged, diffStat: sumOf(last.diffStat, envelope.diffStat, filesChanged.length) };
}

/** Gates after the item's loop need it too. */
function wroteOf(tx: DecisionDraft, { last, generation, ...node }: Node, { wrote }: Envelope): Pick<Attempt, 'wrote'> {
  if (wrote === undefined) return {};
  const wasTakenBack = isTakenBack(tx, node);
  const before = last?.generation === generation && !wasTakenBack ? (last.wrote ?? []) : [];
  if (tx.item && wrote.length > 0) {
    tx.setItem(tx.item.key, { wrote: [...new Set([...(tx.item.wrote ?? []), ...wrote])] });
  }
  return { wrote: [...new Set([...before, ...wrote])] };
}

function sumOf(one: DiffStat | null, other: DiffStat | null, files: number): DiffStat | null {
  if (one === null || other === null) return one ?? other;
  const lines = { insertions: one.insertions + other.insertions, deletions: one.deletions + other.deletions };
  const largeBytes = Math.max(one.largeBytes ?? 0, other.largeBytes ?? 0);
  return { files, ...lines, ...(largeBytes === 0 ? {} : { largeBytes }) };
}

/** The fault's wait, or exponential backoff. */
function retryAt({ at }: DecisionDraft, { abandons }: Node, { fault }: Envelope): number | null {
  if (fault?.remedy !== 'wait') return null;
  const backOffMs = Math.min(firstBackOffMs * 2 ** abandons, maxBackOffMs);
  return at + Math.min(fault.waitMs ?? backOffMs, maxWaitMs);
}

const firstBackOffMs = 30_000;
const maxBackOffMs = 15 * 60_000;
