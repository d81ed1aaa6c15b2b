// The buttons that show what a card is about. They stay on settled cards, because looking decides nothing.
import type { Interaction, State } from '../../../engine/index.js';
import type { ViewParts } from '../view.js';

type Offers = NonNullable<ViewParts['offers']>;

export function cardOffers(interaction: Interaction, state: State): Offers {
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

export function itemOffers({ run, items }: State, key: string): Offers {
  const isKnown = items.find((one) => one.key === key)?.work !== undefined;
  return isKnown ? [{ label: 'Show diff', says: `@diff ${run.id} ${key}` }] : [];
}

export function runOffers({ run }: State): Offers {
  if (run.work === undefined) return [];
  return [
    { label: 'Show diff', says: `@diff ${run.id}` },
    { label: 'Show log', says: `@log ${run.id}` },
  ];
}
