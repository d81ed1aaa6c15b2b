// Which role may do what. Each role includes the actions of all roles before it in this table.
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

/**
 * The right that an answer needs: reviews and questions a reviewer's, money an owner's, the rest that of driving the
 * run.
 */
export const requiredAction: Readonly<Record<Interaction['kind'], Action>> = {
  review: 'answer',
  question: 'answer',
  escalation: 'retry',
  confirm: 'start',
  choice: 'continue',
  permission: 'grant',
  budget: 'budget',
};

/** The right to answer a question does not include skipping or aborting what it belongs to. */
export function requiredActionFor(option: string, { kind, options, subject, approvals }: Interaction): Action {
  if (subject.type === 'skip_approval') return option === 'skip' ? requiredToSkip(approvals) : 'skip';
  const isOffered = options.some((one) => one.id === option);
  if (kind === 'question' && isOffered && (option === 'skip' || option === 'abort')) return option;
  return requiredAction[kind];
}

/** One person cannot stand in for several, so only an owner skips an approval with a quorum. */
export function requiredToSkip(approvals: Interaction['approvals']): Action {
  return approvals !== undefined && approvals.quorum > 1 ? 'overrule' : 'skip';
}
