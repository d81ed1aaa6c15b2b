// Each role includes those before it.
import type { Interaction } from '../../engine/index.js';
import type { Role } from '../config.js';

export type Action = (typeof rights)[number]['actions'][number];

const rights = [
  { role: 'viewer', actions: ['read'] },
  { role: 'reviewer', actions: ['answer'] },
  {
    role: 'operator',
    actions: ['start', 'continue', 'retry', 'skip', 'stop', 'abort', 'rollback', 'grant'],
  },
  { role: 'owner', actions: ['budget', 'members', 'configure', 'overrule'] },
] as const satisfies readonly { readonly role: Role; readonly actions: readonly string[] }[];

export function mayDo(role: Role | null, action: Action): boolean {
  if (role === null) return false;
  const held = rights.findIndex((row) => row.role === role);
  return rights.slice(0, held + 1).some(({ actions }) => (actions as readonly string[]).includes(action));
}

export function leastRoleFor(action: Action): Role {
  const row = rights.find(({ actions }) => (actions as readonly string[]).includes(action));
  return row?.role ?? 'owner';
}

/** Reviews and questions: reviewer; money: owner; else the right to drive the run. */
export const requiredAction: Readonly<Record<Interaction['kind'], Action>> = {
  review: 'answer',
  question: 'answer',
  escalation: 'retry',
  confirm: 'start',
  choice: 'continue',
  permission: 'grant',
  budget: 'budget',
};

/** Answering does not include skipping or aborting the subject. */
export function requiredActionFor(option: string, { kind, options, subject, approvals }: Interaction): Action {
  if (subject.type === 'skip_approval') return option === 'skip' ? requiredToSkip(approvals) : 'skip';
  const isOffered = options.some((one) => one.id === option);
  if (kind === 'question' && isOffered && (option === 'skip' || option === 'abort')) return option;
  return requiredAction[kind];
}

/** One person cannot stand in for several: only an owner skips a quorum. */
export function requiredToSkip(approvals: Interaction['approvals']): Action {
  return approvals !== undefined && approvals.quorum > 1 ? 'overrule' : 'skip';
}
