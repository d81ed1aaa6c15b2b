// What was done in an attempt and what is said of it, by one executor or by a team, before anything is checked.
import type { Handoff, Output, Report, TeamReport } from '../../engine/index.js';
import type { ProcessEnd } from './process.js';

export interface Work {
  readonly end: ProcessEnd;
  readonly output: Output;
  readonly result: Report | null;
  readonly handoff: Handoff | null;
  readonly team: readonly TeamReport[];
  readonly warnings: readonly string[];
}

/** Whether anybody claims anything. */
export function isReported(work: Work): boolean {
  return work.result !== null || work.handoff !== null || Object.hasOwn(work.output.keys, 'STATUS');
}
