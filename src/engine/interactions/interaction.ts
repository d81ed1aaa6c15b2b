// Opening and settling what a person must answer.

import type { DecisionDraft } from '../model/draft.js';
import type { Digest, Interaction, InteractionKind, Node, Option, RecordedAnswer, Subject } from '../model/model.js';

export interface Question {
  readonly kind: InteractionKind;
  readonly subject: Subject;
  readonly node: Node | null;
  readonly text: string;
  readonly options: readonly Option[];
  readonly digests?: readonly Digest[];
  readonly votes?: readonly RecordedAnswer[];
}

/** Opens an interaction and tells the thread. */
export function ask(tx: DecisionDraft, question: Question): Interaction {
  const { run } = tx;
  const count = run.counters.interactions + 1;
  tx.setRun({ counters: { ...run.counters, interactions: count } });
  const approvals = question.node === null ? undefined : tx.def(question.node).approvals;
  const interaction: Interaction = {
    id: `i${run.number}-${count}`,
    kind: question.kind,
    subject: question.subject,
    chain: tx.chain.key,
    node: question.node?.id ?? null,
    generation: question.node?.generation ?? 0,
    text: question.text,
    digests: question.digests ?? [],
    options: question.options,
    state: 'open',
    openedAt: tx.at,
    answer: null,
    ...(approvals === undefined ? {} : { approvals }),
    ...(question.votes === undefined ? {} : { votes: question.votes }),
  };
  tx.interactions = [...tx.interactions, interaction];
  tx.notice({ type: 'asked', interaction });
  return interaction;
}

export function settleInteraction(tx: DecisionDraft, interaction: Interaction, said: Omit<RecordedAnswer, 'at'>): void {
  change(tx, { ...interaction, state: 'answered', answer: givenAt(tx.at, said) }, 'decided');
}

/** Who says something, and where. */
export type Speaker = Pick<RecordedAnswer, 'by' | 'where'>;

/** Only what is kept of it: an event says more. */
export function givenAt(at: number, { option, text, by, where }: Omit<RecordedAnswer, 'at'>): RecordedAnswer {
  return { option, text, by, at, ...(where === undefined ? {} : { where }) };
}

/** Nobody answered in time. */
export function expire(tx: DecisionDraft, interaction: Interaction): void {
  change(tx, { ...interaction, state: 'expired' }, 'decided');
}

/** The same card, about something else from now on: its buttons stay where they are. */
export function recast(tx: DecisionDraft, interaction: Interaction, subject: Subject): void {
  put(tx, { ...interaction, subject });
}

/** What is no longer a question says so, wherever its buttons still stand. */
export function supersede(tx: DecisionDraft, matches: (interaction: Interaction) => boolean): void {
  for (const one of tx.openInteractions) {
    if (matches(one)) change(tx, { ...one, state: 'superseded' }, 'decided');
  }
}

/** It is as it says now, and its cards are told why. */
export function change(tx: DecisionDraft, changed: Interaction, why: 'decided' | 'voted' | 'reminded'): void {
  put(tx, changed);
  tx.notice({ type: why, interaction: changed });
}

export function put(tx: DecisionDraft, changed: Interaction): void {
  tx.interactions = tx.interactions.map((one) => (one.id === changed.id ? changed : one));
}

export function openOf(tx: DecisionDraft, type: Subject['type']): Interaction | null {
  return tx.openInteractions.find((one) => one.subject.type === type) ?? null;
}

export function option(id: string, label: string, needsText = false): Option {
  return { id, label, needsText };
}

export const waysOut: readonly Option[] = [
  option('retry', 'Retry'),
  option('skip', 'Skip'),
  option('rollback', 'Rollback'),
  option('abort', 'Abort'),
];

/** Where an agent changed what decides which programs git starts. */
export const settingsWaysOut: readonly Option[] = [
  option('accept', 'I have looked: accept it'),
  option('restore', 'Put back what was there'),
  option('abort', 'Abort'),
];
