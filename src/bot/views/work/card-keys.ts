// A card's messages replace each other.
import type { RunCards } from '../../../dispatch/index.js';
import type { Interaction, Run } from '../../../engine/index.js';

export const startedWord = '✅ Started';
export const queuedWord = 'Queued';
export const startsByItself = 'Starts by itself when its turn comes.';

/** A waiting task's card, once the task begins. */
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

/** The newest copy of the question whose answer ended the run, unless the end has its own message there. */
export function endCardIn(thread: string, run: Pick<Run, 'id'>, cards: RunCards): string {
  const own = abortCard(run);
  const isShown = (card: string) => cards.cardIn(thread, card) !== null;
  const asked = !cards.isInChat(thread) || isShown(own) ? null : cards.ending();
  if (asked === null) return own;
  const count = asked.reminded?.count ?? 0;
  const reminders = Array.from({ length: count }, (_, index) => reminderCard(asked, count - index));
  return [...reminders, cardOfInteraction(asked)].find(isShown) ?? own;
}

export function reminderCard({ id }: Pick<Interaction, 'id'>, count: number): string {
  return `${id}:again-${count}`;
}

/** `decided`: interactions that are no longer open. */
export function progressKey({ id }: Pick<Run, 'id'>, decided: number): string {
  return `progress:${id}:${decided}`;
}

export function doneCard(run: string, item: string): string {
  return `done:${run}:${item}`;
}

/** A project's name in a command means the run in its checkout, so other runs need their id. */
export function calledBy({ id, project, beside }: Pick<Run, 'id' | 'project' | 'beside'>): string {
  return beside ? id : project;
}
