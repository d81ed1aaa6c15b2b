// The checkout is restored first, then the chain.

import { currentNode, goBack } from '../chain/chain.js';
import { liftPause, resumeChains } from '../flow/advance.js';
import { startOp } from '../flow/finish.js';
import { needsWorktree } from '../flow/loops/loop.js';
import { revive } from '../flow/revive.js';
import { ask, option, supersede } from '../interactions/interaction.js';
import { whyBusy } from '../model/draft/checkout-use.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import { isRunOver } from '../model/draft/transition.js';
import type { Node, RecordedAnswer } from '../model/model.js';
import { hasBody } from '../workflow/node-kinds.js';

export function rollbackTo(tx: DecisionDraft, id: string): string | null {
  const target = tx.node(id);
  if (!target) return `no step ${id} here`;
  const why = whyNotRollback(tx, target);
  if (why !== null) return why;
  const later = tx.chain.nodes.slice(tx.chain.nodes.indexOf(target));
  const attempt = later.find((node) => node.firstAttempt !== null)?.firstAttempt;
  supersede(tx, (one) => one.chain === tx.chain.key);
  tx.reply({ type: 'rolling_back', step: target.template });
  liftPause(tx);
  if (attempt)
    startOp(tx, (op) => ({
      id: op,
      kind: 'rollback',
      chain: tx.chain.key,
      node: id,
      attempt,
      after: 'go_back',
      keepAs: `rollbacks/${op}.diff`,
    }));
  else rolledBack(tx, id);
  return null;
}

/** `retry` repeats the last step. */
export function rollbackByName(tx: DecisionDraft, id: string): string | null {
  const current = currentNode(tx.chain);
  if (current?.id === id) return `it is at ${current.template} already; say retry`;
  return rollbackTo(tx, id);
}

export function rolledBack(tx: DecisionDraft, id: string): void {
  const target = tx.node(id);
  if (!target) throw new Error(`no node ${id} to roll back to`);
  goBack(tx, null, target);
  tx.setChain({ edges: {} });
  if (tx.item) tx.setItem(tx.item.key, { rejections: 0 });
  const { held } = tx.run;
  revive(tx);
  // A pause meanwhile applies to later steps.
  tx.setRun({ held });
  resumeChains(tx);
}

/** The current step is a target too. */
export function askForTarget(tx: DecisionDraft, node: Node, votes: readonly RecordedAnswer[] = []): void {
  const end = tx.chain.nodes.indexOf(node);
  const reached = tx.chain.nodes.slice(0, end + 1).filter((one) => one.firstAttempt !== null);
  const targets = reached.filter((one) => whyNotRollback(tx, one) === null);
  ask(tx, {
    kind: 'choice',
    subject: { type: 'rollback_target', ...(tx.run.rules !== undefined && votes.length > 0 && { votes }) },
    node,
    text: 'Back to which step? What was done since is undone and kept as a diff file.',
    options: [...targets.map((one) => option(`to-${one.id}`, one.template)), option('keep', 'Keep it')],
  });
}

function whyNotRollback(tx: DecisionDraft, target: Node): string | null {
  const { run, item, chain } = tx;
  if (isRunOver(run.status)) return 'the run is over';
  if (!run.prepared) return 'nothing has been done yet';
  const why = whyBusy(tx);
  if (why !== null) return why;
  if (item && item.status !== 'running' && item.status !== 'failed') return `${item.key} is ${item.status}`;
  if (needsWorktree(tx)) return `the worktree of ${chain.key} is gone; retry it first`;
  const current = currentNode(chain);
  const isLater = current !== null && chain.nodes.indexOf(target) > chain.nodes.indexOf(current);
  if (hasBody(target) || isLater) return `${target.template} has not been reached`;
  const undone = chain.nodes.slice(chain.nodes.indexOf(target));
  const begun = tx.items.find((one) => one.startedAt !== null && undone.some((node) => node.id === one.loop));
  return begun ? `${begun.key} has begun; roll back inside it` : null;
}
