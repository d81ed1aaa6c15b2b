// What was done in an attempt and what is said of it, by one executor or by a team, before anything is checked.
import type { Handoff, Output, Report, TeamReport } from '../../engine/index.js';
import type { AgentOutcome } from '../adapters/port.js';
import type { ProcessEnd } from '../processes/run-process.js';

export interface Work {
  readonly end: ProcessEnd;
  readonly output: Output;
  readonly result: Report | null;
  readonly handoff: Handoff | null;
  readonly team: readonly TeamReport[];
  readonly warnings: readonly string[];
  readonly agent: AgentReport;
}

/** What a coding agent tells of itself; of a team, of all its members. */
export type AgentReport = Pick<AgentOutcome, 'session' | 'program' | 'usage' | 'asks'>;

export const noAgent: AgentReport = { session: null, program: null, usage: null, asks: [] };

/** Whether anybody claims anything. */
export function isReported(work: Work): boolean {
  return work.result !== null || work.handoff !== null || Object.hasOwn(work.output.keys, 'STATUS');
}
