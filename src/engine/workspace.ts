// What became of work on the checkout, and what follows from it.
import { advance } from './advance.js';
import { deliveryNote, endChain, restoreStash } from './finish.js';
import { ask, option } from './interaction.js';
import { unreachable, type WorkspaceOp, type WorkspaceResult } from './model.js';
import { rolledBack } from './rollback.js';
import type { Step } from './step.js';
import { isRunOver } from './transition.js';

type Failed = Extract<WorkspaceResult, { ok: false }>;

/** Why nothing changed, or null. */
export function workspaceDone(step: Step, id: string, result: WorkspaceResult): string | null {
  const { op } = step.run;
  if (op === null || op.id !== id) return 'superseded';
  if (step.chain.key !== ('chain' in op ? op.chain : '')) return 'another chain';
  step.setRun({ op: null });
  if (result.ok) take(step, op, result);
  else if (isRunOver(step.run.status)) step.notice({ type: 'told', text: result.message });
  else askAbout(step, op, result);
  // What a person put aside must come back, also where the run ended while it was being put aside.
  if (isRunOver(step.run.status) && op.kind !== 'restore') restoreStash(step);
  return null;
}

function take(step: Step, op: WorkspaceOp, result: Extract<WorkspaceResult, { ok: true }>): void {
  if (result.note) step.notice({ type: 'told', text: result.note });
  if (op.kind === 'restore') {
    step.setRun({ stash: null });
    return;
  }
  if (result.stash !== null) step.setRun({ stash: result.stash });
  if (isRunOver(step.run.status)) return;
  switch (op.kind) {
    case 'prepare':
      step.setRun({ prepared: true });
      advance(step);
      break;
    case 'deliver':
      endChain(step, deliveryNote(result.commit, result.diffStat));
      break;
    case 'rollback':
      rolledBack(step, op.node);
      break;
    default:
      unreachable(op);
  }
}

function askAbout(step: Step, op: WorkspaceOp, result: Failed): void {
  if (result.code === 'dirty' && op.kind === 'prepare') {
    ask(step, {
      kind: 'choice',
      subject: { type: 'dirty' },
      node: null,
      text: `${step.run.project} has changes that are not mine:${filesOf(result)}`,
      options: [option('stash', 'Stash them until the end'), option('cancel', 'Cancel')],
    });
    return;
  }
  const without = op.kind === 'deliver' ? 'Go on without a commit' : 'Leave it';
  ask(step, {
    kind: 'escalation',
    subject: { type: 'workspace', op },
    node: null,
    text: `${result.message}${filesOf(result)}`,
    options: [
      option('retry', 'Retry'),
      ...(op.kind === 'prepare' ? [] : [option('go_on', without)]),
      option('abort', 'Abort'),
    ],
  });
}

const maxFilesShown = 10;

function filesOf({ files }: Failed): string {
  const shown = files.slice(0, maxFilesShown).map((file) => `\n${file}`);
  const more = files.length - maxFilesShown;
  return `${shown.join('')}${more > 0 ? `\n… and ${more} more` : ''}`;
}
