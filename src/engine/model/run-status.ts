// Derives whether an active run is running or paused, and the pause reason.

import type { DecisionDraft } from './draft.js';
import type { Interaction, PauseReason } from './model.js';

export function settleStatus(tx: DecisionDraft): void {
  const { run } = tx;
  if (run.status !== 'running' && run.status !== 'paused') return;
  const reason = waitsFor(tx);
  if (reason === null) tx.moveRun('running');
  else tx.moveRun('paused', reason);
}

function waitsFor(tx: DecisionDraft): PauseReason | null {
  const { run } = tx;
  if (run.held) return 'user';
  const hasMore = tx.effects.some((effect) => effect.type === 'raise');
  if (run.live.length > 0 || run.ops.some((op) => op.kind !== 'drop') || hasMore) return null;
  const reasons = tx.openInteractions.map(reasonOf);
  const [first] = (['escalation', 'failure', 'budget', 'decision'] as const).filter((one) => reasons.includes(one));
  return first ?? (run.level === 'auto' ? null : 'level');
}

function reasonOf(interaction: Interaction): PauseReason {
  switch (interaction.subject.type) {
    case 'items_failed':
      return 'failure';
    case 'stuck':
      return interaction.subject.isFailed ? 'failure' : 'escalation';
    case 'fuse':
      return 'budget';
    default:
      return interaction.kind === 'escalation' ? 'escalation' : 'decision';
  }
}
