// Runs a coding agent to its end, parsing its output and watching its budget. If the session to resume is gone, it
// starts a fresh one within the same attempt.
import { BosunError } from '../../base/index.js';
import type { JobControl } from '../../jobs/index.js';
import type { AgentOutput } from '../processes/agent-output.js';
import type { Deadline } from '../processes/deadline.js';
import { type ProcessEnd, unstarted } from '../processes/run-process.js';
import { type AgentSettings, programIn, runSeatProcess, type SeatLaunch, wrapped } from '../processes/seat-process.js';
import { AgentListener } from './agent-listener.js';
import type { AdapterContext, AgentOutcome, AgentSeat, CodingAgent } from './port.js';
import { notInstalled } from './shared/faults.js';
import { resumedSession } from './shared/seat.js';
import type { UsageTally } from './shared/usage.js';

export interface CodingSettings extends AgentSettings {
  /** The agents that an executor may name. */
  readonly agents: readonly CodingAgent[];
  readonly entry: string | null;
  readonly clock: () => number;
  /** Shared by all processes of the attempt. */
  readonly tally: UsageTally;
}

interface Ran {
  readonly end: ProcessEnd;
  readonly agent: AgentOutcome;
}

export async function runCodingAgent(
  seat: AgentSeat,
  control: JobControl,
  settings: CodingSettings,
  output: AgentOutput,
): Promise<Ran> {
  control.report({ type: 'phase', phase: 'agent' });
  const first = await runOnce(seat, control, settings, output);
  const isGone = first.end.fault?.code === 'session_gone' && resumedSession(seat) !== null;
  if (!isGone || control.signal.aborted) return first;
  output.record('[bosun] the session to go on with is gone: a fresh one gets the whole prompt');
  const timeoutMs = Math.max(1, first.leftMs);
  const second = await runOnce({ ...seat, resume: null, timeoutMs }, control, settings, output);
  return { ...second, end: { ...second.end, spentMs: first.end.spentMs + second.end.spentMs } };
}

async function runOnce(
  seat: AgentSeat,
  control: JobControl,
  settings: CodingSettings,
  output: AgentOutput,
): Promise<Ran & { readonly leftMs: number }> {
  const agent = agentOf(seat, settings);
  const { entry, clock, tally } = settings;
  const around: AdapterContext = { entry, clock, leftUsd: tally.leftUsd };
  const reader = agent.adapter.reader(seat, around);
  if (tally.isOver) return { end: unstarted({ killed: 'budget' }), agent: reader.end(null, ''), leftMs: 0 };
  const listener = new AgentListener({ reader, output, control, tally });
  let deadline: Deadline | null = null;
  const end = await runSeatProcess(seat, launchOf(seat, agent.adapter, around, settings), control, settings, {
    onText: (stream, text) => listener.push(stream, text),
    onStop: (stop) => listener.onStop(stop),
    onDeadline: (own) => {
      deadline = own;
    },
  });
  const outcome = listener.end(end.exit);
  return { end: judged(seat, agent, end, outcome), agent: outcome, leftMs: leftOf(deadline) ?? seat.timeoutMs };
}

function leftOf(deadline: Deadline | null): number | null {
  return deadline?.leftMs ?? null;
}

/** config.yaml and the queue refuse unknown kinds, so a missing one is a bug of the composition. */
function agentOf({ executor }: AgentSeat, { agents }: CodingSettings): CodingAgent {
  const found = agents.find(({ kind }) => kind === executor.kind);
  if (found === undefined) throw new BosunError('bad_config', `there is no coding agent "${executor.kind}"`);
  return found;
}

function launchOf(
  seat: AgentSeat,
  adapter: CodingAgent['adapter'],
  around: AdapterContext,
  { environment }: CodingSettings,
): SeatLaunch {
  const { kind, program, wrap } = seat.executor;
  const { args, input, env } = adapter.launch(seat, around);
  const own = programIn(seat, program ?? kind);
  const [first = own, ...rest] = [...wrapped(seat, wrap, environment), own, ...args];
  return { argv: [first, ...rest], input, env, stopSignal: adapter.stopSignal };
}

/** A stop takes precedence over the agent's own fault; that names the cause only if the process itself had none. */
function judged(seat: AgentSeat, agent: CodingAgent, end: ProcessEnd, outcome: AgentOutcome): ProcessEnd {
  const { kind, program, wrap } = seat.executor;
  if (end.killed !== null) return end;
  if (end.fault?.code === 'executor_missing') {
    return { ...end, fault: notInstalled(agent, wrap[0] ?? program ?? kind) };
  }
  return end.fault === null ? { ...end, fault: outcome.fault } : end;
}
