// One attempt of a node that is ready: its id, what it carries, and the fuses that may hold it back.

import { ask, openOf, option } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft.js';
import type { Attempt, Chain, HumanNote, Node } from '../model/model.js';
import { emptyEnvelope } from '../report/envelope.js';
import { whyInvalidCall } from '../workflow/index.js';
import { moreUsd, raised, type SpendingLimit, spentLimit } from './spending-limits.js';

/** Starts one attempt of a node that is ready, unless a fuse holds; says whether it did. */
export function dispatch(step: DecisionDraft, node: Node): boolean {
  if (isFused(step, node)) return false;
  const { run, chain } = step;
  const attempt = beginAttempt(step, node);
  const live = { attempt: attempt.id, chain: chain.key, node: node.id, step: node.template, startedAt: null };
  step.setRun({ live: [...run.live, live] });
  const invalid = whyInvalid(step, node);
  if (invalid === null) step.effects.push({ type: 'dispatch', node: node.id, attempt: attempt.id });
  else failUnstarted(step, attempt.id, invalid);
  step.notice({ type: 'progress' });
  return true;
}

/** A file may be older than the rules for calls, or come from another program. */
function whyInvalid(step: DecisionDraft, node: Node): string | null {
  const { call, args } = step.def(node);
  return call === null ? null : whyInvalidCall(call, node.args ?? args ?? '');
}

function failUnstarted(step: DecisionDraft, attempt: string, summary: string): void {
  const envelope = { ...emptyEnvelope, exit: 0, result: { status: 'failing', reason: null, summary } };
  step.raise({ type: 'attempt_settled', run: step.run.id, chain: step.chain.key, at: step.at, attempt, envelope });
}

/** The attempt, counted, with the notes that people left for it. */
export function beginAttempt(step: DecisionDraft, node: Node): Attempt {
  const { run } = step;
  const attempt = newAttempt(step, node);
  step.moveNode(node.id, 'queued', {
    live: attempt,
    dispatches: node.dispatches + 1,
    firstAttempt: node.firstAttempt ?? attempt.id,
  });
  step.setChain({ notes: step.chain.notes.filter((note) => !attempt.notes.includes(note)) });
  step.setRun({ counters: { ...run.counters, dispatches: run.counters.dispatches + 1 } });
  return attempt;
}

function newAttempt(step: DecisionDraft, node: Node): Attempt {
  const { run, chain } = step;
  return {
    id: `${run.home}-${run.id}-${chain.key || '_'}-${node.label}-g${node.generation}-d${node.dispatches + 1}`,
    generation: node.generation,
    number: node.attempt,
    state: 'queued',
    dispatchedAt: step.at,
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
    resumes: sessionFor(step, node),
    asks: [],
    denied: [],
    // What a person asked for does not wait.
    notBefore: node.abandons > 0 ? (node.last?.retryAt ?? null) : null,
    retryAt: null,
    program: null,
  };
}

/** A check has nobody to read them. An instruction goes out as it was said, alone; what else was noted waits. */
function notesFor(node: Node, chain: Chain): readonly HumanNote[] {
  if (node.kind !== 'task') return [];
  const isDue = (id: string) => chain.nodes.some((one) => one.id === id && !isOver(one));
  const notes = chain.notes.filter((note) => note.node === undefined || note.node === node.id || !isDue(note.node));
  const instructions = notes.filter((note) => note.kind === 'instruction');
  return instructions.length > 0 ? instructions : notes;
}

function isOver({ state }: Node): boolean {
  return state === 'passed' || state === 'skipped';
}

/** Dispatches and money are bounded; at the bound a person is asked, once. */
function isFused(step: DecisionDraft, node: Node): boolean {
  const { run } = step;
  const isWorn = run.counters.dispatches >= run.dispatchLimit;
  const spent = run.finishing === node.id ? null : spentLimit(run, step.at);
  if (spent === null && !isWorn) {
    // What was to be finished is, as soon as something else is due.
    if (run.finishing !== null && run.finishing !== node.id) step.setRun({ finishing: null });
    return false;
  }
  if (openOf(step, 'fuse') === null) askForMore(step, node, spent);
  return true;
}

function askForMore(step: DecisionDraft, node: Node, spent: SpendingLimit | null): void {
  const why =
    spent === null
      ? `${step.run.counters.dispatches} steps were dispatched, which is this run's limit.`
      : `The budget of ${nameOf[spent.scope]}, $${spent.limitUsd.toFixed(2)}, is spent ($${spent.spentUsd.toFixed(2)}).`;
  const more = spent === null ? `Allow ${moreDispatches} more` : `Allow $${moreUsd(spent.baseUsd).toFixed(2)} more`;
  const finish = spent === null ? [] : [option('finish', `Finish ${node.template} only`)];
  ask(step, {
    kind: 'budget',
    subject: { type: 'fuse' },
    node,
    text: `${why}\nNext would be ${node.template}.`,
    options: [option('more', more), ...finish, option('abort', 'Abort')],
  });
}

const nameOf: Readonly<Record<SpendingLimit['scope'], string>> = {
  run: 'this run',
  day: 'the day',
  project: 'the project',
};

const moreDispatches = 100;

/** What "more" means at the fuse that holds. */
export function raiseLimit(step: DecisionDraft): void {
  const spent = spentLimit(step.run, step.at);
  if (spent !== null) step.setRun(raised(step.run, spent, step.at));
  else step.setRun({ dispatchLimit: step.run.dispatchLimit + moreDispatches });
}

// Which session of its agent an attempt goes on with. Each begins afresh, unless the node says otherwise, or it asked
// and has its answer now.
export function sessionFor(step: DecisionDraft, node: Node): string | null {
  const def = step.def(node);
  const { last } = node;
  // What a rollback or a route took it back from is not what it remembers.
  const own = last?.generation === node.generation ? last : null;
  const goesOn = own?.outcome === 'needs_human' || own?.reason === 'budget';
  if (own?.session && goesOn) return own.session;
  if (def.freshSession) return null;
  const others = step.chain.nodes.filter((one) => step.def(one).role === def.role).flatMap((one) => one.last ?? []);
  const [latest] = others
    .filter(({ session }) => session !== null)
    .sort((one, other) => Number(other.endedAt) - Number(one.endedAt));
  return latest?.session ?? null;
}
