// Messages of a card replace each other.
import type { Interaction, Run } from '../../../engine/index.js';

export const startedWord = '✅ Started';
export const queuedWord = 'Queued';
export const startsByItself = 'Starts by itself when its turn comes.';

/** The card of a task that has waited for its turn, once it begins. */
export function begun(text: string): string {
  const lines = text.split('\n');
  if (lines[0]?.startsWith(`${queuedWord} · `) !== true) return text;
  const head = lines[0].replace(queuedWord, startedWord);
  return [head, ...lines.slice(1).filter((line) => line !== startsByItself)].join('\n');
}

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

/** The name of the run in a command. The project's name means the run that holds its checkout. */
export function calledBy({ id, project, beside }: Pick<Run, 'id' | 'project' | 'beside'>): string {
  return beside ? id : project;
}
