// `.workflow/.ralph/<id>/status.json`: a run as a session with waves.
import { type Chain, type Run, type RunStatus, runsAgent } from '../../engine/index.js';
import type { AttemptRow, Spine, StoredRecord } from '../../store/index.js';
import { iso } from './formats.js';
import { type SessionStep, sessionSteps } from './session-steps.js';
import { currentChainKey } from './state-file.js';
import { barriersOf, type WaveEntry, type WaveFiles, waveEntry, waveFiles, waveNumbers, wavesOf } from './waves.js';

export interface SessionFile {
  readonly id: string;
  readonly created_at: string;
  readonly intent: string;
  readonly status: 'running' | 'paused' | 'completed' | 'failed';
  readonly lifecycle_position: string | null;
  readonly target: string | null;
  readonly phase: number | string | null;
  readonly milestone: string | null;
  readonly auto_mode: boolean;
  readonly context: Readonly<Record<string, string | null>>;
  readonly steps: readonly SessionStep[];
  readonly waves: readonly WaveEntry[];
  readonly current_step: number | null;
  readonly updated_at: string;
}

export interface SessionSource {
  readonly spine: Spine;
  readonly chainOf: (key: string) => Chain | null;
  readonly attempts: readonly AttemptRow[];
  readonly records: readonly StoredRecord[];
}

export const maxSessionAttempts = 5_000;

export function session(source: SessionSource): { readonly file: SessionFile; readonly waves: readonly WaveFiles[] } {
  const { spine, chainOf } = source;
  const nodes = ['', ...spine.items.map((item) => item.key)].flatMap((key) => chainOf(key)?.nodes ?? []);
  const waves = wavesOf(source.attempts, barriersOf(spine.workflow, nodes));
  const steps = sessionSteps(source, waveNumbers(waves));
  const file = { ...head(source), steps, waves: waves.map(waveEntry), current_step: currentStep(steps) };
  return {
    file: { ...file, updated_at: iso(lastChange(source)) },
    waves: waves.map((wave) => waveFiles(wave, steps)),
  };
}

/** Two runs may begin within a second, so the id contains the run. */
export function sessionId(run: Run): string {
  const [day = '', time = ''] = iso(run.createdAt).split('T');
  return `ralph-${day.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${run.id}`;
}

function head({ spine, chainOf }: SessionSource) {
  const { run, workflow } = spine;
  const item = spine.items.find((one) => one.key === currentChainKey(spine));
  const chains = ['', item?.key ?? ''].map((key) => chainOf(key)?.context ?? {});
  const known: Readonly<Record<string, string>> = Object.assign({}, run.context, ...chains, item?.values);
  const last = workflow.chain.findLast(runsAgent)?.id ?? null;
  return {
    id: sessionId(run),
    created_at: iso(run.createdAt),
    intent: run.task,
    status: statusWords[run.status],
    lifecycle_position: run.position,
    target: known['target'] || last,
    phase: phaseOf(known['phase'] ?? ''),
    milestone: known['milestone'] || null,
    auto_mode: workflow.policy.autoMode,
    context: contextOf(known),
  };
}

const statusWords: Readonly<Record<RunStatus, SessionFile['status']>> = {
  draft: 'paused',
  running: 'running',
  paused: 'paused',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
};

function phaseOf(said: string): number | string | null {
  return /^\d{1,9}$/.test(said) ? Number(said) : said || null;
}

const alwaysTold = ['plan_dir', 'analysis_dir', 'brainstorm_dir'] as const;
const toldWhenKnown = ['gaps', 'task_count', 'exec_status', 'spec_session_id'] as const;

function contextOf(known: Readonly<Record<string, string>>): SessionFile['context'] {
  const always = alwaysTold.map((key) => [key, known[key] || null] as const);
  const more = toldWhenKnown.flatMap((key) => (known[key] ? [[key, known[key]] as const] : []));
  return Object.fromEntries([...always, ...more]);
}

function currentStep(steps: readonly SessionStep[]): number | null {
  return steps.find(({ status }) => status !== 'completed' && status !== 'skipped')?.index ?? null;
}

function lastChange({ spine, attempts, records }: SessionSource): number {
  const { run, items } = spine;
  const times = [run, ...items, ...attempts.map(({ attempt }) => attempt)].flatMap((one) => [
    one.startedAt,
    one.endedAt,
  ]);
  const told = [...attempts.map(({ attempt }) => attempt.dispatchedAt), ...records.map(({ at }) => at)];
  return [...times, ...told].reduce<number>((latest, at) => Math.max(latest, at ?? 0), run.createdAt);
}
