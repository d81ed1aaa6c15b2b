import type { DecisionDraft } from '../model/draft/draft.js';
import { freezeWork } from '../model/draft/freeze-work.js';
import type { FrozenWork } from '../model/frozen-work.js';
import type {
  Digest,
  Interaction,
  InteractionKind,
  Node,
  Option,
  RecordedAnswer,
  Run,
  Subject,
} from '../model/model.js';

interface Question {
  readonly kind: InteractionKind;
  readonly subject: Subject;
  readonly node: Node | null;
  readonly text: string;
  readonly options: readonly Option[];
  readonly digests?: readonly Digest[];
  readonly votes?: readonly RecordedAnswer[];
  readonly expiresAt?: number;
  /** Absent: the chain's work, on cards that judge work. */
  readonly work?: FrozenWork;
}

export function ask(tx: DecisionDraft, question: Question): Interaction {
  const { run } = tx;
  const count = run.counters.interactions + 1;
  tx.setRun({ counters: { ...run.counters, interactions: count } });
  const work = question.work ?? (isAboutWork(question.subject, run) ? freezeWork(tx) : undefined);
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
    ...(work === undefined ? {} : { work }),
    ...(question.expiresAt === undefined ? {} : { expiresAt: question.expiresAt }),
  };
  tx.interactions = [...tx.interactions, interaction];
  tx.notice({ type: 'asked', interaction });
  return interaction;
}

const aboutWork: ReadonlySet<Subject['type']> = new Set(['review', 'stuck', 'gate', 'gate_stuck', 'items_failed']);

export function settleInteraction(tx: DecisionDraft, interaction: Interaction, said: Omit<RecordedAnswer, 'at'>): void {
  change(tx, { ...interaction, state: 'answered', answer: givenAt(tx.at, said) }, 'decided');
}

export type Speaker = Pick<RecordedAnswer, 'by' | 'where'>;

/** Drops the event's other fields. */
export function givenAt(at: number, { option, text, by, where }: Omit<RecordedAnswer, 'at'>): RecordedAnswer {
  return { option, text, by, at, ...(where === undefined ? {} : { where }) };
}

export function expire(tx: DecisionDraft, interaction: Interaction): void {
  change(tx, { ...interaction, state: 'expired' }, 'decided');
}

function isAboutWork({ type }: Subject, { rules }: Run): boolean {
  return aboutWork.has(type) || (type === 'abort' && (rules ?? 0) >= 5);
}

export function recast(tx: DecisionDraft, interaction: Interaction, subject: Subject): void {
  put(tx, { ...interaction, subject });
}

export function supersede(tx: DecisionDraft, matches: (interaction: Interaction) => boolean): void {
  for (const one of tx.openInteractions) {
    if (matches(one)) change(tx, { ...one, state: 'superseded' }, 'decided');
  }
}

export function change(
  tx: DecisionDraft,
  changed: Interaction,
  why: 'decided' | 'voted' | 'reminded' | 'handed' | 'reworded',
): void {
  put(tx, changed);
  tx.notice({ type: why, interaction: changed });
}

export function put(tx: DecisionDraft, changed: Interaction): void {
  tx.interactions = tx.interactions.map((one) => (one.id === changed.id ? changed : one));
}

/** Null: closed, or another chain's. */
export function openHere(tx: DecisionDraft, id: string): Interaction | null {
  return tx.openInteractions.find((one) => one.id === id && one.chain === tx.chain.key) ?? null;
}

export function openOf(tx: DecisionDraft, type: Subject['type']): Interaction | null {
  return tx.openInteractions.find((one) => one.subject.type === type) ?? null;
}

export function option(id: string, label: string, needsText = false): Option {
  return { id, label, needsText };
}

export const waysOut: readonly Option[] = [
  option('retry', 'Retry'),
  option('retry_note', 'Retry with a note', true),
  option('skip', 'Skip'),
  option('rollback', 'Rollback'),
  option('abort', 'Abort'),
];

export const settingsWaysOut: readonly Option[] = [
  option('accept', 'I have looked: accept it'),
  option('restore', 'Put back what was there'),
  option('abort', 'Abort'),
];
