// A person snoozes an open interaction, or hands it over. Neither changes who may answer.

import type { DecisionDraft } from '../model/draft/draft.js';
import type { Event } from '../model/event.js';
import type { Interaction } from '../model/model.js';
import { change, openHere, put } from './interaction.js';

type Said<T extends Event['type']> = Extract<Event, { type: T }>;

/** Null, or the reason why nothing changed; the same below. */
export function snooze(tx: DecisionDraft, { interaction: id, by, until }: Said<'snooze'>): string | null {
  const found = openHere(tx, id);
  if (found === null) return 'not open';
  if (until <= tx.at) return 'over already';
  put(tx, withSnoozes(found, [...othersOf(found, by), { by, until }]));
  return null;
}

export function wake(tx: DecisionDraft, { interaction: id, by }: Said<'wake'>): string | null {
  const found = openHere(tx, id);
  if (found === null) return 'not open';
  if (!isSnoozedBy(found, by)) return 'not snoozed';
  put(tx, withSnoozes(found, othersOf(found, by)));
  return null;
}

export function endSnoozes(tx: DecisionDraft, id: string): string | null {
  const found = openHere(tx, id);
  if (found === null) return 'not open';
  const { snoozes = [] } = found;
  const over = snoozes.filter(({ until }) => until <= tx.at);
  if (over.length === 0) return 'not due';
  const interaction = withSnoozes(
    found,
    snoozes.filter(({ until }) => until > tx.at),
  );
  put(tx, interaction);
  tx.notice({ type: 'snooze_over', interaction, people: over.map(({ by }) => by) });
  return null;
}

export function handOver(tx: DecisionDraft, { interaction: id, by, to }: Said<'hand'>): string | null {
  const found = openHere(tx, id);
  if (found === null) return 'not open';
  if (found.handed?.to === to) return 'handed already';
  // Both were just told, so their snoozes end.
  const left = (found.snoozes ?? []).filter((one) => one.by !== by && one.by !== to);
  change(tx, { ...withSnoozes(found, left), handed: { to, by, at: tx.at } }, 'handed');
  return null;
}

/** A card is reminded of at most once in this time, by people and by Bosun together. */
const nudgeEveryMs = 3_600_000;

export function nudge(tx: DecisionDraft, { interaction: id, by }: Said<'nudge'>): string | null {
  const found = openHere(tx, id);
  if (found === null) return 'not open';
  if (tx.at < nextNudgeAt(found)) return 'reminded lately';
  const interaction = { ...found, nudged: { by, at: tx.at } };
  put(tx, interaction);
  tx.notice({ type: 'nudged', interaction });
  return null;
}

/** The earliest time at which a person may remind others of the card. */
export function nextNudgeAt({ openedAt, nudged, reminded }: Interaction): number {
  const last = Math.max(nudged?.at ?? 0, reminded?.at ?? 0);
  return last === 0 ? openedAt : last + nudgeEveryMs;
}

export function isSnoozedBy({ snoozes = [] }: Pick<Interaction, 'snoozes'>, person: string): boolean {
  return snoozes.some(({ by }) => by === person);
}

export function nextSnoozeEnd({ state, snoozes = [] }: Pick<Interaction, 'state' | 'snoozes'>): number | null {
  return state !== 'open' || snoozes.length === 0 ? null : Math.min(...snoozes.map(({ until }) => until));
}

function othersOf({ snoozes = [] }: Interaction, person: string) {
  return snoozes.filter(({ by }) => by !== person);
}

function withSnoozes(interaction: Interaction, snoozes: NonNullable<Interaction['snoozes']>): Interaction {
  const { snoozes: _, ...rest } = interaction;
  return snoozes.length === 0 ? rest : { ...rest, snoozes };
}
