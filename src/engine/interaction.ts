// Opening and settling what a person must answer.
import type { Digest, Interaction, InteractionKind, Node, Option, Subject } from './model.js';
import type { Step } from './step.js';

export interface Question {
  readonly kind: InteractionKind;
  readonly subject: Subject;
  readonly node: Node | null;
  readonly text: string;
  readonly options: readonly Option[];
  readonly digests?: readonly Digest[];
}

/** Opens an interaction and tells the thread. */
export function ask(step: Step, question: Question): Interaction {
  const { run } = step;
  const count = run.counters.interactions + 1;
  step.setRun({ counters: { ...run.counters, interactions: count } });
  const interaction: Interaction = {
    id: `i${run.number}-${count}`,
    kind: question.kind,
    subject: question.subject,
    chain: step.chain.key,
    node: question.node?.id ?? null,
    generation: question.node?.generation ?? 0,
    text: question.text,
    digests: question.digests ?? [],
    options: question.options,
    state: 'open',
    openedAt: step.at,
    answer: null,
  };
  step.interactions = [...step.interactions, interaction];
  step.notice({ type: 'asked', interaction });
  return interaction;
}

export function settleInteraction(
  step: Step,
  interaction: Interaction,
  answer: { readonly option: string; readonly text: string | null; readonly by: string },
): void {
  replace(step, { ...interaction, state: 'answered', answer: { ...answer, at: step.at } });
}

/** Nobody answered in time. */
export function expire(step: Step, interaction: Interaction): void {
  replace(step, { ...interaction, state: 'expired' });
}

/** The same card, about something else from now on: its buttons stay where they are. */
export function recast(step: Step, interaction: Interaction, subject: Subject): void {
  step.interactions = step.interactions.map((one) => (one.id === interaction.id ? { ...one, subject } : one));
}

/** What is no longer a question says so, wherever its buttons still stand. */
export function supersede(step: Step, matches: (interaction: Interaction) => boolean): void {
  for (const one of step.openInteractions) {
    if (matches(one)) replace(step, { ...one, state: 'superseded' });
  }
}

export function openOf(step: Step, type: Subject['type']): Interaction | null {
  return step.openInteractions.find((one) => one.subject.type === type) ?? null;
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

function replace(step: Step, changed: Interaction): void {
  step.interactions = step.interactions.map((one) => (one.id === changed.id ? changed : one));
  step.notice({ type: 'decided', interaction: changed });
}
