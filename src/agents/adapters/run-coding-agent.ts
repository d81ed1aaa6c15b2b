// Runs a coding agent to its end, parsing its output and watching its budget. If the session to resume is gone, it
// starts a fresh one within the same attempt.
import type { JobControl } from '../../jobs/index.js';
import type { AgentOutput } from '../processes/agent-output.js';
import type { Deadline } from '../processes/deadline.js';
import { type ProcessEnd, unstarted } from '../processes/run-process.js';
import { type AgentSettings, programIn, runSeatProcess, type SeatLaunch, wrapped } from '../processes/seat-process.js';
import { AgentListener } from './agent-listener.js';
import type { AdapterContext, AgentOutcome, AgentSeat } from './port.js';
import { adapters } from './registry.js';
import { notInstalled } from './shared/faults.js';
import { resumedSession } from './shared/seat.js';
import type { UsageTally } from './shared/usage.js';

export interface CodingSettings extends AgentSettings {
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
  const { kind } = seat.executor;
  const { entry, clock, tally } = settings;
  const around: AdapterContext = { entry, clock, leftUsd: tally.leftUsd };
  const reader = adapters[kind].reader(seat, around);
  if (tally.isOver) return { end: unstarted({ killed: 'budget' }), agent: reader.end(null, ''), leftMs: 0 };
  const listener = new AgentListener({ reader, output, control, tally });
  let deadline: Deadline | null = null;
  const end = await runSeatProcess(seat, launchOf(seat, around, settings), control, settings, {
    onText: (stream, text) => listener.push(stream, text),
    onStop: (stop) => listener.onStop(stop),
    onDeadline: (own) => {
      deadline = own;
    },
  });
  const agent = listener.end(end.exit);
  return { end: judged(seat, end, agent), agent, leftMs: leftOf(deadline) ?? seat.timeoutMs };
}

function leftOf(deadline: Deadline | null): number | null {
  return deadline?.leftMs ?? null;
}

function launchOf(seat: AgentSeat, around: AdapterContext, { environment }: CodingSettings): SeatLaunch {
  const { kind, program, wrap } = seat.executor;
  const adapter = adapters[kind];
  const { args, input, env } = adapter.launch(seat, around);
  const own = programIn(seat, program ?? kind);
  const [first = own, ...rest] = [...wrapped(seat, wrap, environment), own, ...args];
  return { argv: [first, ...rest], input, env, stopSignal: adapter.stopSignal };
}

/** A stop takes precedence over the agent's own fault; that names the cause only if the process itself had none. */
function judged(seat: AgentSeat, end: ProcessEnd, agent: AgentOutcome): ProcessEnd {
  const { kind, program, wrap } = seat.executor;
  if (end.killed !== null) return end;
  if (end.fault?.code === 'executor_missing') {
    return { ...end, fault: notInstalled(kind, wrap[0] ?? program ?? kind) };
  }
  return end.fault === null ? { ...end, fault: agent.fault } : end;
}
