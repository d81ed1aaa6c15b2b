import type { Environment } from '../base/index.js';
import { isAgent, type JobControl } from '../jobs/index.js';
import type { AgentOutcome } from './adapters/port.js';
import { type CodingSettings, runCodingAgent } from './adapters/run-coding-agent.js';
import { type Launch, launchScript } from './adapters/script.js';
import { agentSeatOf } from './adapters/shared/seat.js';
import type { AgentOutput } from './processes/agent-output.js';
import type { Seat } from './processes/environment.js';
import { type ProcessEnd, unstarted } from './processes/run-process.js';
import { programIn, runSeatProcess, wrapped } from './processes/seat-process.js';

export type { AgentSettings } from './processes/seat-process.js';

export interface AgentRun {
  readonly end: ProcessEnd;
  /** Null: a plain program. */
  readonly agent: AgentOutcome | null;
}

export async function runAgent(
  seat: Seat,
  control: JobControl,
  settings: CodingSettings,
  output: AgentOutput,
): Promise<AgentRun> {
  const agent = agentSeatOf(seat);
  if (agent !== null) return runCodingAgent(agent, control, settings, output);
  const launch = launchOf(seat, settings.environment);
  if (!launch.ok) return { end: unstarted({ fault: launch.fault }), agent: null };
  control.report({ type: 'phase', phase: 'agent' });
  const end = await runSeatProcess(seat, launch, control, settings, {
    onText: (stream, text) => output.push(stream, text),
  });
  output.end();
  return { end, agent: null };
}

function launchOf(seat: Seat, environment: Environment): Launch {
  const { executor } = seat;
  if (executor !== null && !isAgent(executor) && executor.kind === 'script') return launchScript(seat, executor.file);
  if (executor === null || isAgent(executor)) return missing(`step "${seat.step}" has no executor; configure one`);
  const [program, ...args] = executor.run;
  if (program === undefined || program === '') return missing('the executor has an empty `run`; set a program');
  const [first = program, ...rest] = [
    ...wrapped(seat, executor.wrap ?? [], environment),
    programIn(seat, program),
    ...args,
  ];
  return { ok: true, argv: [first, ...rest], input: seat.prompt };
}

function missing(message: string): Launch {
  return { ok: false, fault: { code: 'executor_missing', message } };
}
