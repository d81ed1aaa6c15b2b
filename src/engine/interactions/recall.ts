// Telling people again of what they have not answered, and telling others. When it is time is told by the card alone,
// so that it holds over restarts; whoever wakes the engine for it may be late, and never makes up for what was missed.

import type { DecisionDraft } from '../model/draft.js';
import type { Interaction } from '../model/model.js';
import { change, put } from './interaction.js';

/** After so many nobody is told any more. */
const maxReminders = 3;

export interface Recalls {
  /** null: not again. */
  readonly remindAt: number | null;
  readonly escalateAt: number | null;
}

/** Each reminder comes twice as long after the one before. */
export function recallsOf({ approvals, state, openedAt, reminded, escalatedAt }: Interaction): Recalls {
  if (approvals === undefined || state !== 'open') return { remindAt: null, escalateAt: null };
  const { remindAfterMs, escalateAfterMs } = approvals;
  const { count, at } = reminded ?? { count: 0, at: openedAt };
  return {
    remindAt: remindAfterMs === null || count >= maxReminders ? null : at + remindAfterMs * 2 ** count,
    escalateAt: escalateAfterMs === null || escalatedAt !== undefined ? null : openedAt + escalateAfterMs,
  };
}

/** Why nobody is told, or null. */
export function remind(tx: DecisionDraft, id: string): string | null {
  const found = openHere(tx, id);
  if (found === null) return 'not open';
  if (!isDue(tx, recallsOf(found).remindAt)) return 'not due';
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

function openHere(tx: DecisionDraft, id: string): Interaction | null {
  return tx.openInteractions.find((one) => one.id === id && one.chain === tx.chain.key) ?? null;
}

function isDue({ at }: DecisionDraft, due: number | null): boolean {
  return due !== null && due <= at;
}
