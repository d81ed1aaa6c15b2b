// Starts again within the attempt if the session is gone or the program cannot converse.
import { BosunError } from '../../base/index.js';
import { askingBosun } from '../../jobs/asks/index.js';
import { type JobControl, programNamed } from '../../jobs/index.js';
import type { AgentOutput } from '../processes/agent-output.js';
import type { Deadline } from '../processes/deadline.js';
import { type Fault, type ProcessEnd, unstarted } from '../processes/run-process.js';
import { type AgentSettings, programIn, runSeatProcess, type SeatLaunch, wrapped } from '../processes/seat-process.js';
import { AgentListener } from './agent-listener.js';
import { AgentRequests } from './agent-requests.js';
import { passWords } from './agent-words.js';
import { oneShot } from './one-shot.js';
import type { AdapterContext, AgentOutcome, AgentSeat, AgentSession, CodingAgent } from './port.js';
import { cannotConverse, failed, notInstalled } from './shared/faults.js';
import { resumedSession } from './shared/seat.js';
import type { UsageTally } from './shared/usage.js';

export interface CodingSettings extends AgentSettings {
  readonly agents: readonly CodingAgent[];
  readonly entry: string | null;
  readonly home: string | null;
  readonly clock: () => number;
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
  const refused = await refusedByTrial(seat, control, settings, output);
  if (refused !== null) return refused;
  const first = await runOnce(seat, control, settings, output);
  const again = retryOf(seat, first);
  if (again === null || control.signal.aborted) return first;
  output.record(`[bosun] ${again.why}`);
  const timeoutMs = Math.max(1, first.leftMs);
  const second = await runOnce({ ...again.seat, timeoutMs }, control, settings, output, again.isOneShot);
  return { ...second, end: { ...second.end, spentMs: first.end.spentMs + second.end.spentMs } };
}

async function refusedByTrial(
  seat: AgentSeat,
  control: JobControl,
  settings: CodingSettings,
  output: AgentOutput,
): Promise<Ran | null> {
  const { adapter } = agentOf(seat, settings);
  if (!('open' in adapter) || adapter.trial === undefined || settings.tally.isOver) return null;
  const { fault, usage, words } = await adapter.trial(seat, { ...settings, signal: control.signal });
  if (words !== null) output.record(`[bosun] ${words}`);
  if (usage !== null) settings.tally.open(() => undefined).note(usage);
  return fault === null ? null : { end: unstarted({ fault }), agent: { ...noOutcome, usage } };
}

const noOutcome: AgentOutcome = {
  session: null,
  program: null,
  usage: null,
  fault: null,
  asks: [],
  warnings: [],
};

interface Retry {
  readonly seat: AgentSeat;
  readonly isOneShot: boolean;
  readonly why: string;
}

function retryOf(seat: AgentSeat, { end: { fault } }: Ran): Retry | null {
  if (fault?.code === 'session_gone' && resumedSession(seat) !== null) {
    const why = 'the session to resume no longer exists: a fresh one gets the whole prompt';
    return { seat: { ...seat, resume: null }, isOneShot: false, why };
  }
  if (fault?.code !== cannotConverse || seat.executor.permission === 'strict') return null;
  return { seat, isOneShot: true, why: fault.message };
}

async function runOnce(
  seat: AgentSeat,
  control: JobControl,
  settings: CodingSettings,
  output: AgentOutput,
  isOneShot = false,
): Promise<Ran & { readonly leftMs: number }> {
  const agent = agentOf(seat, settings);
  const { entry, clock, tally, environment } = settings;
  const context = { entry, clock, leftUsd: tally.leftUsd, environment };
  const { session, warnings } = sessionOf(agent, seat, context, isOneShot);
  if (tally.isOver) return { end: unstarted({ killed: 'budget' }), agent: session.end(null, ''), leftMs: 0 };
  const over = new AbortController();
  const bosun = askingBosun({ BOSUN_URL: seat.url, BOSUN_TOKEN: seat.token });
  let stop: (why: 'budget' | Fault) => void = () => undefined;
  const requests = new AgentRequests({
    ...{ session, bosun, record: (line) => output.record(line) },
    onFlood: (what) => stop(failed(agent.kind, `it sends too many requests: ${what}`)),
  });
  const listener = new AgentListener({
    ...{ reader: session, output, control, tally },
    requests: {
      open: (request) => requests.open(request),
      withdraw: (id) => requests.withdraw(id),
      progress: (text) => void bosun.tell(text, over.signal),
      listens: () => void passWords({ session, bosun, record: (line) => output.record(line), signal: over.signal }),
    },
  });
  let deadline: Deadline | null = null;
  const end = await runSeatProcess(seat, launchOf(seat, session, settings), control, settings, {
    onText: (stream, text) => listener.push(stream, text),
    onStop: (own) => {
      stop = own;
      listener.onStop(own);
    },
    onDeadline: (own) => {
      deadline = own;
    },
    onInput: (input) => session.begin({ ...input, emit: (events) => listener.emit(events) }),
  });
  over.abort();
  requests.close();
  const outcome = listener.end(end.exit);
  const asks = [...requests.undecided, ...outcome.asks];
  const asked = { ...outcome, asks, warnings: [...warnings, ...outcome.warnings] };
  return { end: judged(seat, agent, end, outcome), agent: asked, leftMs: leftOf(deadline) ?? seat.timeoutMs };
}

function sessionOf(
  { adapter, kind }: CodingAgent,
  seat: AgentSeat,
  context: AdapterContext,
  isOneShot: boolean,
): { readonly session: AgentSession; readonly warnings: readonly string[] } {
  if (!('open' in adapter)) return { session: oneShot(adapter, seat, context), warnings: [] };
  const session = isOneShot ? null : adapter.open(seat, context);
  if (session !== null) return { session, warnings: [] };
  if (adapter.fallback === null) throw new BosunError('bad_config', `${kind} has no session with these settings`);
  const isMute = seat.executor.permission === 'ask' && seat.url !== '';
  const warnings = isMute ? [`${kind} could not ask a person for permission: it ran without a conversation`] : [];
  return { session: oneShot(adapter.fallback, seat, context), warnings };
}

function leftOf(deadline: Deadline | null): number | null {
  return deadline?.leftMs ?? null;
}

/** Unknown kinds are refused earlier, so this is a bug. */
function agentOf({ executor }: AgentSeat, { agents }: CodingSettings): CodingAgent {
  const found = agents.find(({ kind }) => kind === executor.kind);
  if (found === undefined) throw new BosunError('bad_config', `there is no coding agent "${executor.kind}"`);
  return found;
}

function launchOf(seat: AgentSeat, session: AgentSession, { environment }: CodingSettings): SeatLaunch {
  const { wrap } = seat.executor;
  const { stopSignal, launch } = session;
  const own = programIn(seat, programNamed(seat.executor));
  const [first = own, ...rest] = [...wrapped(seat, wrap, environment), own, ...launch.args];
  return { argv: [first, ...rest], input: '', env: launch.env, stopSignal, interrupt: () => session.interrupt() };
}

/** A stop outranks the agent's fault, which only explains a process without one. */
function judged(seat: AgentSeat, agent: CodingAgent, end: ProcessEnd, outcome: AgentOutcome): ProcessEnd {
  const { wrap } = seat.executor;
  if (end.killed !== null) return end;
  if (end.fault?.code === 'executor_missing') {
    return { ...end, fault: notInstalled(agent, wrap[0] ?? programNamed(seat.executor)) };
  }
  return end.fault === null ? { ...end, exit: outcome.exit ?? end.exit, fault: outcome.fault } : end;
}
