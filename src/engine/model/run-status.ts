// What a run that is neither a draft nor over is doing: it works, or it waits, and then for what.

import type { DecisionDraft } from './draft.js';
import type { Interaction, PauseReason } from './model.js';

export function settleStatus(step: DecisionDraft): void {
  const { run } = step;
  if (run.status !== 'running' && run.status !== 'paused') return;
  const reason = waitsFor(step);
  if (reason === null) step.moveRun('running');
  else step.moveRun('paused', reason);
}

function waitsFor(step: DecisionDraft): PauseReason | null {
  const { run } = step;
  if (run.held) return 'user';
  const hasMore = step.effects.some((effect) => effect.type === 'raise');
  if (run.live.length > 0 || run.ops.some((op) => op.kind !== 'drop') || hasMore) return null;
  const reasons = step.openInteractions.map(reasonOf);
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
