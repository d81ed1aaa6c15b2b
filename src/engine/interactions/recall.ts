// Due times derive from the interaction, so they survive restarts; a late timer sends no missed reminders.

import type { DecisionDraft } from '../model/draft/draft.js';
import type { Interaction } from '../model/model.js';
import { change, expire, openHere, put } from './interaction.js';

const maxReminders = 3;

interface Recalls {
  /** Null: no more. For an expiring one: the time just before. */
  readonly remindAt: number | null;
  readonly escalateAt: number | null;
}

/** Each wait doubles. */
export function recallsOf(interaction: Interaction): Recalls {
  const { approvals, state, openedAt, reminded, escalatedAt, expiresAt } = interaction;
  if (state === 'open' && expiresAt !== undefined) return { remindAt: expiresAt, escalateAt: null };
  if (approvals === undefined || state !== 'open') return { remindAt: null, escalateAt: null };
  const { remindAfterMs, escalateAfterMs } = approvals;
  const { count, at } = reminded ?? { count: 0, at: openedAt };
  return {
    remindAt: remindAfterMs === null || count >= maxReminders ? null : at + remindAfterMs * 2 ** count,
    escalateAt: escalateAfterMs === null || escalatedAt !== undefined ? null : openedAt + escalateAfterMs,
  };
}

export function remind(tx: DecisionDraft, id: string): string | null {
  const found = openHere(tx, id);
  if (found === null) return 'not open';
  if (!isDue(tx, recallsOf(found).remindAt)) return 'not due';
  if (found.expiresAt !== undefined) {
    expire(tx, found);
    return null;
  }
  const count = (found.reminded?.count ?? 0) + 1;
  change(tx, { ...found, reminded: { count, at: tx.at } }, 'reminded');
  return null;
}

export function escalate(tx: DecisionDraft, id: string): string | null {
  const found = openHere(tx, id);
  const { escalateTo: to } = found?.approvals ?? {};
  if (found === null || to === undefined) return 'not open';
  if (!isDue(tx, recallsOf(found).escalateAt)) return 'not due';
  const interaction = { ...found, escalatedAt: tx.at };
  put(tx, interaction);
  tx.notice({ type: 'escalated', interaction, to });
  return null;
}

function isDue({ at }: DecisionDraft, due: number | null): boolean {
  return due !== null && due <= at;
}
