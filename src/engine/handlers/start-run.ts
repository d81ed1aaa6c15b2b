// Starts a draft, now or after the project's live run.
import { grant } from '../flow/advance.js';
import { prepare } from '../flow/finish.js';
import { openOf, supersede } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft.js';

export function startRun(tx: DecisionDraft, behind: string | null): void {
  const missing = openOf(tx, 'takeover') ?? openOf(tx, 'input');
  if (missing) {
    tx.reply({ type: 'shown', interactions: [missing] });
    return;
  }
  tx.setRun({ approved: true });
  if (behind !== null) {
    tx.reply({ type: 'queued_behind', run: behind });
    return;
  }
  supersede(tx, (one) => one.subject.type === 'proposal');
  grant(tx);
  tx.moveRun('running');
  tx.reply({ type: 'started' });
  prepare(tx, { stash: false });
}
