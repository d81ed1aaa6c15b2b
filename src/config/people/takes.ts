// What it takes to answer: reviews and questions are a reviewer's, money is an owner's, the rest drives the run.

import type { Interaction } from '../../engine/index.js';
import type { Action } from './rights.js';

export const takes: Readonly<Record<Interaction['kind'], Action>> = {
  review: 'answer',
  question: 'answer',
  escalation: 'retry',
  confirm: 'start',
  choice: 'continue',
  permission: 'grant',
  budget: 'budget',
};

/** Of one of its answers: whoever may answer a question may not therefore end what it was asked in. */
export function takesTo(option: string, { kind, options }: Interaction): Action {
  const isOffered = options.some((one) => one.id === option);
  if (kind === 'question' && isOffered && (option === 'skip' || option === 'abort')) return option;
  return takes[kind];
}
