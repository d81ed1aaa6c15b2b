// A draft becomes a run: at once, or when the project's live run has ended.
import { grant } from '../flow/advance.js';
import { prepare } from '../flow/finish.js';
import { openOf, supersede } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft.js';

export function startRun(step: DecisionDraft, behind: string | null): void {
  const missing = openOf(step, 'takeover') ?? openOf(step, 'input');
  if (missing) {
    step.reply({ type: 'shown', interactions: [missing] });
    return;
  }
  step.setRun({ approved: true });
  if (behind !== null) {
    step.reply({ type: 'queued_behind', run: behind });
    return;
  }
  supersede(step, (one) => one.subject.type === 'proposal');
  grant(step);
  step.moveRun('running');
  step.reply({ type: 'started' });
  prepare(step, { stash: false });
}
