// A gate judges files: it lets the work pass, adds work, or gives up and asks a person. A person may see its verdict first.

import { comesBack, insertFragment, sayFilled } from '../chain/insert.js';
import { isVotedOn } from '../interactions/approval.js';
import { ask, option } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft.js';
import type { GivenAnswer } from '../model/interaction-model.js';
import type { Node, ReviewVerdict } from '../model/model.js';
import { coded } from '../text/result-codes.js';
import type { Gate, Insert } from '../workflow/definition.js';
import { type Facts, judge } from '../workflow/index.js';
import { advance, resumeNode } from './advance.js';
import { cancelRun } from './cancel.js';
import { takeRoute } from './follow-route.js';
import {
  carriedFrom,
  factsOf,
  type GateFacts,
  gateOf,
  missingOf,
  readEvidence,
  staleOf,
  wayOn,
  wordOf,
} from './gate-facts.js';
import { openStuck, placeOf } from './stuck-node.js';

export function judgeGate(step: DecisionDraft, node: Node, found: GateFacts, isConfirmed: boolean): void {
  const gate = gateOf(step, node);
  const facts = factsOf(step, gate, found);
  const missing = missingOf(gate, found.evidence ?? {});
  const stale = staleOf(step, node, gate, found.evidence);
  const isFailed = judge(gate.failWhen, facts);
  const passes = missing.length === 0 && stale.length === 0 && isFailed === false;
  const verdict = passes ? 'pass' : mayFix(step, node, gate) ? 'fix' : 'escalate';
  if (missing.length > 0) step.notice({ type: 'told', text: coded('E004', `${node.template}: ${missing.join('; ')}`) });
  else if (stale.length > 0 && isFailed !== true) tellStale(step, node, stale);
  else if (typeof isFailed === 'object') tellUndecided(step, node, gate, isFailed.undecidedBy);
  const { run, chain } = step;
  const said = sentence(node, gate, verdict, { ...run.context, ...chain.context, ...facts });
  const silence = missing.length > 0 || stale.length > 0 ? 'no result file' : 'the result file does not say';
  const judged = { verdict, said, facts, silence } as const;
  if (step.workflow.policy.stopAtDecisions === 'before' && !isConfirmed) stop(step, node, gate, judged);
  else apply(step, node, gate, judged);
}

/** Without a number of retries it only chooses; but what does not come back to it by itself is added once. */
function mayFix(step: DecisionDraft, node: Node, { maxRetries, onFail }: Gate): boolean {
  return node.retry < (maxRetries ?? (comesBack(step, node, onFail) ? Number.POSITIVE_INFINITY : 1));
}

function tellStale(step: DecisionDraft, { template }: Node, files: readonly string[]): void {
  const what = files.map((file) => `no result file ${file}: what lies there is older than this stage`).join('; ');
  step.notice({ type: 'told', text: coded('E004', `${template}: ${what}`) });
}

function tellUndecided(step: DecisionDraft, node: Node, { evidence }: Gate, by: readonly string[]): void {
  const files = evidence.map((one) => one.file).join(', ');
  const what = by.length === 0 ? 'enough to judge it' : `${by.join(', ')} in a way that can be judged`;
  step.notice({ type: 'told', text: `${node.template}: ${files} does not say ${what}, which counts as failed.` });
}

/** What the person said to a gate's verdict. */
export function answerGate(step: DecisionDraft, node: Node, given: GivenAnswer): void {
  if (given.option === 'go') {
    readEvidence(step, step.moveNode(node.id, 'ready'), true);
  } else if (given.option === 'pass') {
    decide(step, node, 'pass', given.by);
    step.notice({ type: 'told', text: `${given.by} goes on without it.`, decision: `${node.template} → pass` });
    advance(step);
  } else {
    cancelRun(step, 'aborted');
  }
}

/** A gate that gave up: the way that its workflow names for the answer; says whether there is one. */
export function answerGateStuck(step: DecisionDraft, node: Node, { option: chosen }: GivenAnswer): boolean {
  const way = wayOn(step.def(node), chosen);
  if (way === null) return false;
  takeRoute(step, node, way, {});
  resumeNode(step, node);
  return true;
}

function sentence(node: Node, gate: Gate, verdict: ReviewVerdict, facts: Facts): string {
  const template = verdict === 'pass' ? gate.say : insertOf(gate, verdict)?.say;
  const known = Object.entries(facts).map(([key, value]) => [key, wordOf(value)]);
  const max = String(gate.maxRetries ?? '');
  const text = template ?? (verdict === 'pass' ? 'passed' : verdict === 'fix' ? 'more work is needed' : 'escalated');
  return `◆ ${node.template}: ${sayFilled(text, { ...Object.fromEntries(known), retry: String(node.retry + 1), max })}`;
}

function insertOf(gate: Gate, verdict: ReviewVerdict): Insert | null {
  return verdict === 'fix' ? gate.onFail : gate.onEscalate;
}

const maxShownLines = 10;

function stop(step: DecisionDraft, node: Node, gate: Gate, { verdict, said, facts, silence }: Judged): void {
  const insert = verdict === 'pass' ? null : insertOf(gate, verdict);
  const found = Object.values(insert === null ? {} : carriedFrom(insert, facts, silence))
    .join('\n')
    .split('\n');
  const shown = found.filter((line) => line !== '').slice(0, maxShownLines);
  const pass = verdict === 'pass' ? [] : [option('pass', 'Go on without it')];
  ask(step, {
    kind: 'confirm',
    subject: { type: 'gate', verdict },
    node: step.moveNode(node.id, 'needs_human'),
    text: [said, ...shown, ...(isVotedOn(step.def(node)) ? [] : ['Say "continue" to go on.'])].join('\n'),
    options: [option('go', 'Continue'), ...pass, option('abort', 'Abort')],
  });
}

interface Judged {
  readonly verdict: ReviewVerdict;
  readonly said: string;
  readonly facts: Facts;
  /** What is handed on where the files say nothing. */
  readonly silence: string;
}

function apply(step: DecisionDraft, node: Node, gate: Gate, judged: Judged): void {
  const { verdict, said } = judged;
  const why = verdict === 'pass' ? null : addWork(step, node, insertOf(gate, verdict), judged);
  const decision = `${node.template} → ${verdict}`;
  step.notice({ type: 'told', text: said, ...(why === null ? { decision } : {}) });
  if (why !== null) {
    openStuck(step, step.moveNode(node.id, 'needs_human'), `${placeOf(step, node)}: ${why}`);
    return;
  }
  const added = step.chain.nodes.filter((one) => one.insertedBy === node.id).map((one) => one.template);
  const code =
    verdict === 'fix' ? coded('W001', `${node.template} adds ${added.join(' → ')}`) : coded('W002', node.template);
  if (verdict !== 'pass') step.notice({ type: 'told', text: code });
  decide(step, node, verdict, null);
  advance(step);
}

/** Why there is none to add, or null. */
function addWork(
  step: DecisionDraft,
  node: Node,
  insert: Insert | null,
  { verdict, facts, silence }: Judged,
): string | null {
  const { counters, insertionLimit } = step.run;
  if (insert === null) return 'its retries are used up';
  if (counters.insertions >= insertionLimit) return `the run's ${insertionLimit} insertions are used up`;
  carryFacts(step, carriedFrom(insert, facts, silence));
  // A gate is passed by a verdict of its own, never by work that was added because of it.
  const again = verdict === 'fix' && !comesBack(step, node, insert) ? node.template : null;
  return insertFragment(step, node, insert, node.retry + 1, again);
}

function decide(step: DecisionDraft, node: Node, verdict: ReviewVerdict, by: string | null): void {
  step.record('decision', node, { decision: node.template, outcome: verdict, retry_count: node.retry, by });
  step.moveNode(node.id, 'passed', { verdict, skipReason: null });
}

/** What a later prompt is told of the files: texts as they are, lists as lines. */
function carryFacts(step: DecisionDraft, values: Readonly<Record<string, string>>): void {
  if (step.chain.key === '') step.setRun({ context: { ...step.run.context, ...values } });
  else step.setChain({ context: { ...step.chain.context, ...values } });
}
