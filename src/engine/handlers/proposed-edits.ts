// Applies all of an attempt's proposed edits before the attempt counts as done, or none.
import { goBack } from '../chain/chain.js';
import { mutateChain } from '../chain/mutate.js';
import { undoAttempt } from '../flow/follow-route.js';
import { placeOf } from '../flow/stuck-node.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import { noteForStory } from '../model/draft/scratch-notes.js';
import type { Node, Resolved, SettledNode } from '../model/model.js';
import type { EditOp, Envelope } from '../report/envelope.js';

/** A node runs again after a restart, or after work that it inserted before itself. */
interface Anew {
  readonly reason: string;
  /** Null: keeps the old one and costs no restart. */
  readonly description: string | null;
}

interface TakenEdits {
  readonly outcome: Resolved;
  readonly again: Anew | null;
}

export function takeEdits(tx: DecisionDraft, node: Node, { edits }: Envelope, outcome: Resolved): TakenEdits {
  if (edits === null || node.state === 'cancelled') return { outcome, again: null };
  if (!edits.ok) return refuse(tx, node, outcome, edits.error);
  const isRestarting = edits.ops.some((op) => op.operation === 'restart');
  const counts = outcome.kind === 'pass' || (outcome.kind === 'failing' && isRestarting);
  if (!counts) return { outcome, again: null };
  const edited = mutateChain(tx, { ops: edits.ops, current: node });
  if (!edited.ok) {
    const refused = refuse(tx, node, outcome, edited.error);
    return edited.isRestartLimit ? { ...refused, outcome: worn(refused.outcome, edited.error) } : refused;
  }
  tellOfEdits(tx, node, edits.ops);
  if (edited.restart) return { outcome: restarted(outcome, edited.restart.reason), again: edited.restart };
  const again = edited.isBeforeLast ? { reason: 'it put work before itself', description: null } : null;
  return { outcome: again ? restarted(outcome, again.reason) : outcome, again };
}

export function beginAnew(tx: DecisionDraft, node: SettledNode, { reason, description }: Anew): void {
  tx.notice({ type: 'settled', node: node.id, outcome: 'failing', leadsTo: 'retry' });
  tx.record('step_restarted', node, { reason, old: node.description ?? node.title, new: description });
  if (description === null) {
    goBack(tx, node, node);
    return;
  }
  tx.moveNode(node.id, 'ready', { description, restarts: node.restarts + 1, abandons: 0 });
  undoAttempt(tx, node, true);
}

function tellOfEdits(tx: DecisionDraft, node: Node, ops: readonly EditOp[]): void {
  const changes = ops.map((op) => `\n- ${changeOf(op)}: ${op.reason.slice(0, maxReasonChars)}`);
  tx.notice({ type: 'told', text: `${placeOf(tx, node)} changes the steps:${changes.slice(0, maxShown).join('')}` });
}

const maxReasonChars = 200;
const maxShown = 10;
const maxShownChars = 500;

function changeOf(op: EditOp): string {
  switch (op.operation) {
    case 'add_after':
      return `after ${op.target} come ${op.steps.map((one) => one.type).join(', ')}`;
    case 'split':
      return `${op.target} becomes ${op.steps.map((one) => one.type).join(', ')}`;
    case 'skip':
      return `${op.target} is skipped`;
    case 'reorder':
      return 'another order';
    case 'edit_description':
      return `${op.target} is to do another thing`;
    case 'restart':
      return `${op.target} begins anew`;
  }
}

function refuse(tx: DecisionDraft, node: Node, outcome: Resolved, error: string): TakenEdits {
  tx.notice({
    type: 'told',
    text: `${placeOf(tx, node)} may not change the steps so. ${error.slice(0, maxShownChars)}`,
  });
  noteForStory(tx, `The workflow edit was rejected: ${error}`);
  return { outcome: { ...outcome, warnings: [...outcome.warnings, `its edits were rejected: ${error}`] }, again: null };
}

function restarted(outcome: Resolved, summary: string): Resolved {
  return { ...outcome, kind: 'failing', reason: 'restart', summary: `Begun anew: ${summary}` };
}

function worn(outcome: Resolved, error: string): Resolved {
  return { ...outcome, kind: 'failing', reason: 'restart_limit', summary: error, isFinal: true };
}
