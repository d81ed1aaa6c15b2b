// Who may do what. A role may do what stands beside it and what the roles above it in this table may.
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
  { role: 'owner', actions: ['budget', 'members', 'configure'] },
] as const satisfies readonly { readonly role: Role; readonly actions: readonly string[] }[];

/** Nobody's role is null: whoever has none may not even read. */
export function mayDo(role: Role | null, action: Action): boolean {
  if (role === null) return false;
  const held = rights.findIndex((row) => row.role === role);
  return rights.slice(0, held + 1).some(({ actions }) => (actions as readonly string[]).includes(action));
}

/** The least role that may do it. */
export function leastRoleFor(action: Action): Role {
  const row = rights.find(({ actions }) => (actions as readonly string[]).includes(action));
  return row?.role ?? 'owner';
}

// What it takes to answer: reviews and questions are a reviewer's, money is an owner's, the rest drives the run.
export const requiredAction: Readonly<Record<Interaction['kind'], Action>> = {
  review: 'answer',
  question: 'answer',
  escalation: 'retry',
  confirm: 'start',
  choice: 'continue',
  permission: 'grant',
  budget: 'budget',
};

/** Of one of its answers: whoever may answer a question may not therefore end what it was asked in. */
export function requiredActionFor(option: string, { kind, options }: Interaction): Action {
  const isOffered = options.some((one) => one.id === option);
  if (kind === 'question' && isOffered && (option === 'skip' || option === 'abort')) return option;
  return requiredAction[kind];
}
