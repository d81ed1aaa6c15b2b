// Messages of a card replace each other.
import type { Interaction } from '../../../engine/index.js';

/** A question about a message replaces it. */
export function cardOfInteraction({ id, subject }: Pick<Interaction, 'id' | 'subject'>): string {
  const run = `r${id.slice(1, id.indexOf('-'))}`;
  if (subject.type === 'leftovers') return abortCard({ id: run });
  return subject.type === 'next_item' && subject.after !== undefined ? doneCard(run, subject.after) : id;
}

export function abortCard({ id }: { readonly id: string }): string {
  return `aborted:${id}`;
}

export function doneCard(run: string, item: string): string {
  return `done:${run}:${item}`;
}
