// A gate judges files: pass, more work, or a person. By policy a person sees the verdict first.

import { comesBack, insertFragment, sayFilled } from '../chain/insert.js';
import { isVotedOn } from '../interactions/approval.js';
import { ask, option } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft/draft.js';
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

export function judgeGate(tx: DecisionDraft, node: Node, found: GateFacts, isConfirmed: boolean): void {
  const gate = gateOf(tx, node);
  const facts = factsOf(tx, gate, found);
  const missing = missingOf(gate, found.evidence ?? {});
  const stale = staleOf(tx, node, gate, found.evidence);
  const isFailed = judge(gate.failWhen, facts);
  const passes = missing.length === 0 && stale.length === 0 && isFailed === false;
  const verdict = passes ? 'pass' : mayFix(tx, node, gate) ? 'fix' : 'escalate';
  if (missing.length > 0) tx.notice({ type: 'told', text: coded('E004', `${node.template}: ${missing.join('; ')}`) });
  else if (stale.length > 0 && isFailed !== true) tellStale(tx, node, stale);
  else if (typeof isFailed === 'object') tellUndecided(tx, node, gate, isFailed.undecidedBy);
  const { run, chain } = tx;
  const said = sentence(node, gate, verdict, { ...run.context, ...chain.context, ...facts });
  const silence = missing.length > 0 || stale.length > 0 ? 'no result file' : 'the result file does not say';
  const judged = { verdict, said, facts, silence } as const;
  if (tx.workflow.policy.stopAtDecisions === 'before' && !isConfirmed) stop(tx, node, gate, judged);
  else apply(tx, node, gate, judged);
}

/** Without a limit: indefinitely if the added work leads back, else once. */
function mayFix(tx: DecisionDraft, node: Node, { maxRetries, onFail }: Gate): boolean {
  return node.retry < (maxRetries ?? (comesBack(tx, node, onFail) ? Number.POSITIVE_INFINITY : 1));
}

function tellStale(tx: DecisionDraft, { template }: Node, files: readonly string[]): void {
  const what = files.map((file) => `no result file ${file}: what lies there is older than this stage`).join('; ');
  tx.notice({ type: 'told', text: coded('E004', `${template}: ${what}`) });
}

function tellUndecided(tx: DecisionDraft, node: Node, { evidence }: Gate, by: readonly string[]): void {
  const files = evidence.map((one) => one.file).join(', ');
  const what = by.length === 0 ? 'enough to judge it' : `${by.join(', ')} in a way that can be judged`;
  tx.notice({ type: 'told', text: `${node.template}: ${files} does not say ${what}, which counts as failed.` });
}

export function answerGate(tx: DecisionDraft, node: Node, given: GivenAnswer): void {
  if (given.option === 'go') {
    readEvidence(tx, tx.moveNode(node.id, 'ready'), true);
  } else if (given.option === 'pass') {
    decide(tx, node, 'pass', given.by);
    tx.notice({ type: 'told', text: `${given.by} goes on without it.`, decision: `${node.template} → pass` });
    advance(tx);
  } else {
    cancelRun(tx, 'aborted');
  }
}

/** False: the workflow has no route for the answer. */
export function answerGateStuck(tx: DecisionDraft, node: Node, { option: chosen }: GivenAnswer): boolean {
  const way = wayOn(tx.def(node), chosen);
  if (way === null) return false;
  takeRoute(tx, node, way, {});
  resumeNode(tx, node);
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

function stop(tx: DecisionDraft, node: Node, gate: Gate, { verdict, said, facts, silence }: Judged): void {
  const insert = verdict === 'pass' ? null : insertOf(gate, verdict);
  const found = Object.values(insert === null ? {} : carriedFrom(insert, facts, silence))
    .join('\n')
    .split('\n');
  const shown = found.filter((line) => line !== '').slice(0, maxShownLines);
  const pass = verdict === 'pass' ? [] : [option('pass', 'Go on without it')];
  ask(tx, {
    kind: 'confirm',
    subject: { type: 'gate', verdict },
    node: tx.moveNode(node.id, 'needs_human'),
    text: [said, ...shown, ...(isVotedOn(tx.def(node)) ? [] : ['Say "continue" to go on.'])].join('\n'),
    options: [option('go', 'Continue'), ...pass, option('abort', 'Abort')],
  });
}

interface Judged {
  readonly verdict: ReviewVerdict;
  readonly said: string;
  readonly facts: Facts;
  /** Used if the files have no value. */
  readonly silence: string;
}

function apply(tx: DecisionDraft, node: Node, gate: Gate, judged: Judged): void {
  const { verdict, said } = judged;
  const why = verdict === 'pass' ? null : addWork(tx, node, insertOf(gate, verdict), judged);
  const decision = `${node.template} → ${verdict}`;
  tx.notice({ type: 'told', text: said, ...(why === null ? { decision } : {}) });
  if (why !== null) {
    openStuck(tx, tx.moveNode(node.id, 'needs_human'), `${placeOf(tx, node)}: ${why}`);
    return;
  }
  const added = tx.chain.nodes.filter((one) => one.insertedBy === node.id).map((one) => one.template);
  const code =
    verdict === 'fix' ? coded('W001', `${node.template} adds ${added.join(' → ')}`) : coded('W002', node.template);
  if (verdict !== 'pass') tx.notice({ type: 'told', text: code });
  decide(tx, node, verdict, null);
  advance(tx);
}

function addWork(
  tx: DecisionDraft,
  node: Node,
  insert: Insert | null,
  { verdict, facts, silence }: Judged,
): string | null {
  const { counters, insertionLimit } = tx.run;
  if (insert === null) return 'its retries are used up';
  if (counters.insertions >= insertionLimit) return `the run's ${insertionLimit} insertions are used up`;
  carryFacts(tx, carriedFrom(insert, facts, silence));
  // Only its own verdict passes a gate, so it runs again after the inserted work.
  const again = verdict === 'fix' && !comesBack(tx, node, insert) ? node.template : null;
  return insertFragment(tx, node, insert, node.retry + 1, again);
}

function decide(tx: DecisionDraft, node: Node, verdict: ReviewVerdict, by: string | null): void {
  tx.record('decision', node, { decision: node.template, outcome: verdict, retry_count: node.retry, by });
  tx.moveNode(node.id, 'passed', { verdict, skipReason: null });
}

function carryFacts(tx: DecisionDraft, values: Readonly<Record<string, string>>): void {
  if (tx.chain.key === '') tx.setRun({ context: { ...tx.run.context, ...values } });
  else tx.setChain({ context: { ...tx.chain.context, ...values } });
}
