// An attempt begins and comes back: its record, its cost, and then where it leads.
import { advance, resumeChains } from './advance.js';
import { currentNode } from './chain.js';
import { beginAttempt } from './dispatch.js';
import type { Envelope } from './envelope.js';
import { follow } from './follow.js';
import { supersede } from './interaction.js';
import type { Attempt, Node, SettledNode } from './model.js';
import { type Resolved, resolveOutcome } from './outcome.js';
import { keepResults } from './results.js';
import type { Step } from './step.js';

/** Why nothing changed, or null. */
export function startAttempt(step: Step, attempt: string, worker: string): string | null {
  const node = step.chain.nodes.find((one) => one.live?.id === attempt);
  if (!node?.live || node.state !== 'queued') return 'superseded';
  step.moveNode(node.id, 'running', { live: { ...node.live, state: 'running', startedAt: step.at, worker } });
  const live = step.run.live.map((one) => (one.attempt === attempt ? { ...one, startedAt: step.at } : one));
  step.setRun({ live });
  step.notice({ type: 'progress' });
  return null;
}

export function settleAttempt(step: Step, attempt: string, envelope: Envelope): string | null {
  const node = step.chain.nodes.find((one) => one.live?.id === attempt);
  if (!node?.live) return 'superseded';
  step.setRun({ live: step.run.live.filter((one) => one.attempt !== attempt) });
  const outcome = resolveOutcome(envelope, step.def(node), step.workflow);
  const settled = record(step, node, node.live, envelope, outcome);
  // A cancelled node keeps the record and goes nowhere.
  if (node.state === 'cancelled') return null;
  if (outcome.kind === 'pass') keepResults(step, settled, envelope, outcome);
  follow(step, settled, outcome);
  // A person who names each step may have left another chain waiting for this one.
  if (step.run.level === 'manual') resumeChains(step);
  else advance(step);
  return null;
}

/** A person's own agent reports on the node that was ready: an attempt that began and ended outside. */
export function settleReported(step: Step, envelope: Envelope): string | null {
  const node = readyForReport(step);
  if (typeof node === 'string') return node;
  supersede(step, (one) => one.chain === step.chain.key && one.node === node.id);
  const attempt = beginAttempt(step, node.state === 'waiting' ? step.moveNode(node.id, 'ready') : node);
  step.moveNode(node.id, 'running', { live: { ...attempt, state: 'running', startedAt: step.at, worker: 'by hand' } });
  return settleAttempt(step, attempt.id, envelope);
}

/** The node, or why there is none. */
function readyForReport(step: Step): Node | string {
  const { run, item } = step;
  if (run.status !== 'running' && run.status !== 'paused') return `the run is ${run.status}`;
  if (!run.prepared || run.op !== null) return 'the checkout is being worked on';
  if (item && item.status !== 'running') return `${item.key} is ${item.status}`;
  const node = currentNode(step.chain);
  if (node?.kind !== 'task') return 'no step is ready for a report';
  return node.state === 'ready' || node.state === 'waiting' ? node : `${node.template} is ${node.state}`;
}

function record(step: Step, node: Node, live: Attempt, envelope: Envelope, outcome: Resolved): SettledNode {
  const told = envelope.handoff?.front?.filesChanged ?? [];
  const settled: Attempt = {
    ...live,
    state: 'settled',
    endedAt: step.at,
    outcome: node.state === 'cancelled' ? 'cancelled' : outcome.kind,
    reason: outcome.reason,
    summary: outcome.summary,
    claim: outcome.claim,
    tests: outcome.tests,
    checks: envelope.checks,
    warnings: outcome.warnings,
    filesChanged: envelope.filesChanged.length > 0 ? envelope.filesChanged : told,
    diffStat: envelope.diffStat,
    durationMs: envelope.durationMs,
    costUsd: envelope.costUsd,
    tokensIn: envelope.tokensIn,
    tokensOut: envelope.tokensOut,
    logPath: envelope.logPath,
  };
  const { run } = step;
  step.setRun({
    costUsd: run.costUsd + (envelope.costUsd ?? 0),
    tokensIn: run.tokensIn + (envelope.tokensIn ?? 0),
    tokensOut: run.tokensOut + (envelope.tokensOut ?? 0),
  });
  return { ...step.setNode(node.id, { live: null, last: settled }), last: settled };
}
