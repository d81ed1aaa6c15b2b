import { homeOwner, nameInConfig } from '../../../config/index.js';
import type { ProjectAudience } from '../../../dispatch/index.js';
import type { Interaction, Notice, State, Subject } from '../../../engine/index.js';
import { ableMembers } from '../people/awaited.js';
import type { Offer } from '../view.js';

export function cardOffers(interaction: Interaction, state: State): readonly Offer[] {
  const { id, work, node, subject } = interaction;
  if (subject.type === 'next_item') return subject.after === undefined ? [] : itemOffers(state, subject.after);
  const { chain } = state;
  const about = subject.type === 'stuck' ? chain.nodes.filter((one) => one.id === node) : chain.nodes;
  const isLogged = about.some(({ last }) => last?.logPath != null);
  if (work === undefined && subject.type !== 'stuck') return [];
  const log = isLogged ? [{ label: 'Show log', says: `@log ${id}` }] : [];
  if (work === undefined) return log;
  if (work.since === undefined) return [{ label: 'Show diff', says: `@diff ${id}` }, ...log];
  return [
    { label: 'Show what changed', says: `@diff ${id} since` },
    { label: 'Show whole diff', says: `@diff ${id}` },
    ...log,
  ];
}

export function itemOffers({ run, items }: State, key: string): readonly Offer[] {
  const isKnown = items.find((one) => one.key === key)?.work !== undefined;
  return isKnown ? [{ label: 'Show diff', says: `@diff ${run.id} ${key}` }] : [];
}

export function runOffers({ run }: State): readonly Offer[] {
  const { id, work } = run;
  if (work === undefined) return [];
  const log = { label: 'Show log', says: `@log ${id}` };
  return work.from === work.to ? [log] : [{ label: 'Show diff', says: `@diff ${id}` }, log];
}

export function landedOffers({ how, files }: Extract<Notice, { type: 'landed' }>, state: State): readonly Offer[] {
  const { id, project, branch } = state.run;
  if (how !== 'conflict' || branch === null) return how === 'merged' ? runOffers(state) : [];
  const task = `merge the branch ${branch.name} into ${branch.base} and resolve the conflicts in ${files.slice(0, 3).join(', ')}`;
  return [
    { label: 'Task: resolve it', says: `${project}: ${task}` },
    { label: 'Try again', says: `merge ${id}` },
  ];
}

/** Excludes questions just asked, and those for which an agent waits. */
const lasting: ReadonlySet<Subject['type']> = new Set([
  ...(['review', 'question', 'agent_question', 'denied', 'stuck', 'input'] as const),
  ...(['gate', 'gate_stuck', 'items_failed', 'fuse', 'workspace'] as const),
]);

/** These answer nothing: on an open card, for one person. */
export function attentionOffers(
  interaction: Interaction,
  { run }: State,
  audience: ProjectAudience | null,
): readonly Offer[] {
  const { id, subject, handed } = interaction;
  if (!lasting.has(subject.type)) return [];
  const able = audience === null ? [] : ableMembers(interaction, run, audience);
  const isAnother = able.length > 1 || (able.length === 1 && run.createdBy === homeOwner);
  return [
    { label: 'Snooze 1 h', says: `@snooze ${id} 60` },
    ...(isAnother ? [{ label: 'Hand over', says: `@hand ${id}` }] : []),
    ...(mayHaveBack(handed, able) ? [{ label: 'Hand back', says: `@hand ${id} ${nameInConfig(handed.by)}` }] : []),
  ];
}

export function queueOffers({ run: { id } }: State): readonly Offer[] {
  return [
    { label: 'Start now beside it', says: `@beside ${id}` },
    { label: 'Move to first', says: `@first ${id}` },
    { label: 'Take it out', says: `@unqueue ${id}` },
  ];
}

type Handed = NonNullable<Interaction['handed']>;

function mayHaveBack(handed: Handed | undefined, able: readonly { readonly name: string }[]): handed is Handed {
  const giver = nameInConfig(handed?.by ?? '');
  return giver === homeOwner || able.some(({ name }) => name === giver);
}
