// A question outlives its agent, and the next attempt gets the answer; a permission without an answer in time is
// denied.

import type { DecisionDraft } from '../model/draft/draft.js';
import type { AgentAnswer } from '../model/effect.js';
import type { Event } from '../model/event.js';
import type { Attempt, GivenAnswer, Interaction, Node, Option, Resolved, Subject } from '../model/model.js';
import type { Ask, Permission } from '../report/envelope.js';
import { ask, expire, option, recast, settleInteraction, supersede } from './interaction.js';

type Asked = Extract<Event, { type: 'agent_asked' }>;

export function agentAsks(tx: DecisionDraft, { attempt, key, ask: request, waitsUntil }: Asked): string | null {
  const node = tx.chain.nodes.find((one) => one.live?.id === attempt);
  if (node?.state !== 'running') return 'superseded';
  if (askOf(tx, attempt, key)) return 'asked already';
  const { permission } = request;
  const wait = waitsUntil === undefined ? {} : { waitsUntil };
  if (permission === null) {
    askAgentsQuestion(tx, node, request, { type: 'agent_question', attempt, key, isLate: false, ...wait });
  } else if (tx.run.grants.some(({ mark }) => mark === permission.mark)) {
    tell(tx, attempt, key, { kind: 'allowed', by: 'an earlier answer' });
  } else {
    askForPermission(tx, node, request, { type: 'agent_permission', attempt, key, permission, ...wait });
  }
  return null;
}

/** Denies a permission. A question stays open while its agent stops. */
export function expireAsk(tx: DecisionDraft, attempt: string, key: string): string | null {
  const found = askOf(tx, attempt, key);
  if (!found) return 'not open';
  const { subject } = found;
  if (subject.type === 'agent_question') {
    if (subject.isLate) return 'expired already';
    recast(tx, found, { ...subject, isLate: true });
    tx.effects.push({ type: 'cancel', attempt });
  } else {
    expire(tx, found);
  }
  tell(tx, attempt, key, { kind: 'expired' });
  return null;
}

type AgentSubject = Extract<Subject, { type: 'agent_question' | 'agent_permission' }>;
type AgentsAsk = Interaction & { readonly subject: AgentSubject };

function askOf(tx: DecisionDraft, attempt: string, key: string): AgentsAsk | null {
  return ofAttempt(tx, attempt).find(({ subject }) => subject.key === key) ?? null;
}

function ofAttempt(tx: DecisionDraft, attempt: string): readonly AgentsAsk[] {
  return tx.openInteractions.filter(isAgents).filter(({ subject }) => subject.attempt === attempt);
}

function isAgents(one: Interaction): one is AgentsAsk {
  return one.subject.type === 'agent_question' || one.subject.type === 'agent_permission';
}

function tell(tx: DecisionDraft, attempt: string, key: string, answer: AgentAnswer): void {
  tx.effects.push({ type: 'tell_agent', attempt, key, answer });
}

export function askAgentsQuestion(tx: DecisionDraft, node: Node, { text, options }: Ask, subject: Subject): void {
  const picks = options.map((label, index) => option(`pick-${index + 1}`, label));
  const own = option('answer', picks.length === 0 ? 'Answer' : 'Another answer', true);
  const ways = subject.type === 'question' ? [option('skip', 'Skip')] : [];
  ask(tx, {
    kind: 'question',
    subject,
    node,
    text,
    options: [...picks, own, ...ways, option('abort', 'Abort')],
  });
}

function askForPermission(tx: DecisionDraft, node: Node, { text }: Ask, subject: Subject): void {
  const options = [option('once', 'Allow once'), option('run', 'Allow for this run'), option('deny', 'Deny')];
  ask(tx, { kind: 'permission', subject, node, text, options });
}

/** The agent ended without them. */
export function askAboutDenied(tx: DecisionDraft, node: Node, permissions: readonly Permission[], text: string): void {
  const options: readonly Option[] = [
    option('run', 'Allow for this run'),
    option('deny', 'Go on without'),
    option('skip', 'Skip'),
    option('abort', 'Abort'),
  ];
  ask(tx, { kind: 'permission', subject: { type: 'denied', permissions }, node, text, options });
}

type Given = Pick<GivenAnswer, 'option' | 'text' | 'by'>;

export function answerAgent(
  tx: DecisionDraft,
  node: Node,
  interaction: Interaction,
  subject: AgentSubject,
  given: Given,
): void {
  const { attempt, key } = subject;
  const { by } = given;
  if (subject.type === 'agent_question') {
    tell(tx, attempt, key, { kind: 'answered', text: wordsOf(interaction, given), by });
    return;
  }
  if (given.option === 'deny') {
    const live = liveOf(node);
    tx.setNode(node.id, { live: { ...live, denied: [...live.denied, subject.permission.mark] } });
    tell(tx, attempt, key, { kind: 'denied', by, why: given.text?.trim() || null });
    return;
  }
  tell(tx, attempt, key, { kind: 'allowed', by });
  if (given.option === 'run') allowAll(tx, subject.permission, by);
}

function liveOf({ id, live }: Node): Attempt {
  if (live === null) throw new Error(`no agent is at work on ${id}, and yet it asks`);
  return live;
}

/** Also answers the same request of other agents, in any story. */
function allowAll(tx: DecisionDraft, permission: Permission, by: string): void {
  allow(tx, [permission]);
  for (const other of tx.openInteractions) {
    const { subject } = other;
    if (subject.type !== 'agent_permission' || subject.permission.mark !== permission.mark) continue;
    settleInteraction(tx, other, { option: 'run', text: null, by });
    tell(tx, subject.attempt, subject.key, { kind: 'allowed', by });
  }
}

export function allow(tx: DecisionDraft, permissions: readonly Permission[]): void {
  const { grants } = tx.run;
  const isNew = ({ mark }: Permission) => !grants.some((one) => one.mark === mark);
  tx.setRun({ grants: [...grants, ...permissions.filter(isNew)] });
}

export function wordsOf({ options }: Interaction, given: Given): string {
  const picked = given.option.startsWith('pick-') ? options.find((one) => one.id === given.option) : undefined;
  return [picked?.label ?? '', given.text?.trim() ?? ''].filter((text) => text !== '').join('\n');
}

/** An unanswered question becomes the step's; permissions are superseded. */
export function closeAsks(tx: DecisionDraft, node: Node, attempt: string, outcome: Resolved): Resolved {
  const open = ofAttempt(tx, attempt);
  for (const { subject } of open) tell(tx, attempt, subject.key, { kind: 'expired' });
  const question = open.find((one) => staysOpen(one, node, outcome));
  supersede(tx, ({ id }) => id !== question?.id && open.some((one) => one.id === id));
  if (question === undefined) return outcome;
  recast(tx, question, { type: 'question' });
  return { ...outcome, kind: 'needs_human', reason: 'unanswered', summary: question.text };
}

/** A person's stop ends the question, its own timeout does not. */
function staysOpen({ subject }: AgentsAsk, node: Node, outcome: Resolved): boolean {
  if (subject.type !== 'agent_question' || node.state === 'cancelled' || outcome.isInterrupted) return false;
  return outcome.kind !== 'cancelled' || subject.isLate;
}
