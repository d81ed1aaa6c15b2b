// Stops an attempt and retries its step, without spending budget or asking a person.
import { resumeNode } from '../flow/advance.js';
import { revive } from '../flow/revive.js';
import type { DecisionDraft } from '../model/draft.js';
import type { SettledNode } from '../model/model.js';

/** Returns why it was refused, or null. */
export function retryAfterKill(tx: DecisionDraft, attempt: string): string | null {
  const node = tx.chain.nodes.find((one) => one.live?.id === attempt);
  if (!node?.live || node.state === 'cancelled') return 'that try has ended already';
  tx.setNode(node.id, { live: { ...node.live, again: true } });
  tx.effects.push({ type: 'cancel', attempt });
  tx.reply({ type: 'retrying', item: tx.chain.key, step: node.template });
  // Retrying also lifts an earlier pause.
  revive(tx);
  return null;
}

/** Called when the attempt has ended. A person asked for the retry, so it needs no grant at any level. */
export function retryKilled(tx: DecisionDraft, { id, last }: SettledNode): void {
  const node = tx.node(id);
  if (last.again && last.outcome === 'cancelled' && node?.state === 'ready') resumeNode(tx, node);
}
