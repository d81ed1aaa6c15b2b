import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { BosunError, ownFolder, plain, type Redact } from '../base/index.js';
import { type Envelope, emptyEnvelope, emptyOutput } from '../engine/index.js';
import type { AttemptSpec, JobControl, RunAttempt } from '../jobs/index.js';
import type { AgentOutcome, CodingAgent } from './adapters/port.js';
import { scriptWarning } from './adapters/shared/line-scripts.js';
import { agentSeatOf } from './adapters/shared/seat.js';
import { UsageTally } from './adapters/shared/usage.js';
import { type Evidence, gatherEvidence } from './evidence.js';
import { AgentOutput } from './processes/agent-output.js';
import { type AttemptLog, openLog } from './processes/attempt-log.js';
import { attemptPaths, baseOf } from './processes/environment.js';
import { type Fault, unstarted } from './processes/run-process.js';
import { setAsideEdits, takeEdits } from './reports/edits-file.js';
import { beginProgress, readProgress } from './reports/progress-file.js';
import {
  isReported,
  markReports,
  noAgent,
  type ReportMarks,
  readReports,
  type SeatResult,
  setAsideHandoff,
  setAsideResult,
} from './reports/report-files.js';
import { markScratch, readScratch } from './reports/scratch-files.js';
import { type AgentSettings, runAgent } from './run-seat.js';
import { workAsTeam } from './teams/team.js';

export interface AttemptRunnerOptions extends Partial<AgentSettings> {
  readonly agents: readonly CodingAgent[];
  readonly logLimitBytes?: number;
  readonly clock?: () => number;
  readonly entry?: string | null;
  /** Agents store there what they learn about a program. */
  readonly home?: string | null;
  readonly redactOf?: (spec: AttemptSpec) => Redact;
  readonly logFolderOf?: (spec: AttemptSpec) => string | null;
}

type Settings = Required<AttemptRunnerOptions>;

const maxWarnings = 20;

export function attemptRunner(options: AttemptRunnerOptions): RunAttempt {
  const settings: Settings = {
    logLimitBytes: 20 * 1024 * 1024,
    killGraceMs: 1500,
    environment: process.env,
    now: () => performance.now(),
    clock: () => Date.now(),
    entry: process.argv[1] ?? null,
    home: null,
    redactOf: () => plain,
    logFolderOf: () => null,
    ...options,
  };
  return (spec, control) => runAttempt(spec, control, settings);
}

async function runAttempt(spec: AttemptSpec, control: JobControl, settings: Settings): Promise<Envelope> {
  const started = settings.now();
  if (!isFolder(spec.workdir)) return { ...emptyEnvelope, fault: missingWorkdir(spec) };
  const left = prepare(spec, settings);
  const before = markReports(spec);
  const scratchBefore = markScratch(spec);
  const log = openLog(spec, settings);
  try {
    const tally = new UsageTally(spec.spendUsd, (sum) => control.report({ type: 'usage', ...sum }));
    const work = await workOn(spec, control, { ...settings, log, before, tally });
    const evidence = await evidenceFor(spec, control, { ...settings, log }, work);
    const killed = work.end.killed ?? evidence.killed;
    const taken = takeEdits(spec, hasEndedWell(work) && killed === null);
    const { scratch, warnings } = readScratch(spec, scratchBefore);
    const { progress, warning } = readProgress(spec);
    const scripts = evidence.checks.map(({ command }) => scriptWarning(command, spec));
    const said = [...left, ...work.warnings, taken.warning, ...warnings, warning, ...scripts].filter(
      (one) => one !== null,
    );
    log.write(
      'sys',
      said.map((one) => `warning: ${one}`),
    );
    return {
      ...emptyEnvelope,
      exit: work.end.exit,
      killed,
      fault: work.end.fault,
      output: work.output,
      result: work.result,
      handoff: work.handoff,
      checks: evidence.checks,
      warnings: [...said, ...(log.problem === null ? [] : [log.problem])].slice(0, maxWarnings),
      ...told(work),
      ...(isUnpriced(spec, work) && { isUnpriced: true }),
      ...(agentSeatOf(spec) === null ? {} : { reports: true }),
      durationMs: Math.round(settings.now() - started),
      logPath: spec.logPath,
      edits: taken.edits,
      scratch,
      progress,
      team: work.team,
    };
  } finally {
    log.close();
  }
}

function missingWorkdir(spec: AttemptSpec): Fault {
  return {
    code: 'workdir_missing',
    message: `the working directory ${spec.workdir} no longer exists; restore it or start again`,
  };
}

function prepare(spec: AttemptSpec, settings: Settings): readonly (string | null)[] {
  const paths = attemptPaths(spec);
  try {
    for (const file of [paths.progressFile, paths.scratchFile]) ownFolder(baseOf(spec, file), dirname(file));
    // Nothing is read from a folder that is a link out of the checkout.
    for (const file of [paths.resultFile, paths.editsFile]) mkdirSync(dirname(file), { recursive: true });
    beginProgress(spec, settings.clock());
    if (spec.kind !== 'check') setAsideHandoff(spec);
    return [setAsideResult(spec), setAsideEdits(spec)];
  } catch (cause) {
    throw new BosunError('disk', `cannot create the folders of attempt ${spec.attempt} in ${spec.workdir}`, {
      hint: 'check that the disk has room and that the folder is writable',
      cause,
    });
  }
}

/** Usage always; open questions only if nothing cut the agent short. */
function told({ end, agent }: SeatResult): Partial<Envelope> {
  const { session, program, usage, asks } = agent;
  const { costUsd, tokensIn, tokensOut } = usage ?? { costUsd: null, tokensIn: null, tokensOut: null };
  const isWhole = end.killed === null && end.fault === null;
  return { session, program, costUsd, tokensIn, tokensOut, asks: isWhole ? asks : [] };
}

/** Scripted answers are free. */
function isUnpriced({ kind, executor }: AttemptSpec, { end, agent: { usage } }: SeatResult): boolean {
  if (kind === 'check' || executor === null || executor.kind === 'script') return false;
  const hasRun = end.exit !== null || end.spentMs > 0 || usage !== null;
  return hasRun && (usage?.costUsd ?? null) === null;
}

type WorkSettings = Settings & { readonly log: AttemptLog; readonly before: ReportMarks; readonly tally: UsageTally };

async function workOn(spec: AttemptSpec, control: JobControl, settings: WorkSettings): Promise<SeatResult> {
  if (spec.kind === 'check') {
    return reported(spec, settings, { end: unstarted({ exit: 0 }), output: emptyOutput }, null);
  }
  if (spec.team !== null && spec.team.length > 0) return workAsTeam(spec, spec.team, control, settings);
  const output = new AgentOutput(settings.log, settings.now, (line) => control.report({ type: 'output', line }));
  const { end, agent } = await runAgent(spec, control, settings, output);
  return reported(spec, settings, { end, output: output.parse(spec.outputs) }, agent);
}

function reported(
  spec: AttemptSpec,
  { before, tally }: WorkSettings,
  done: Pick<SeatResult, 'end' | 'output'>,
  agent: AgentOutcome | null,
): SeatResult {
  const { warnings, ...reports } = readReports(spec, before);
  const own = agent === null ? noAgent : { ...agent, usage: tally.sum() };
  return { ...done, ...reports, warnings: [...warnings, ...(agent?.warnings ?? [])], team: [], agent: own };
}

/** Only for an attempt that ended on its own and claims work. */
async function evidenceFor(
  spec: AttemptSpec,
  control: JobControl,
  settings: Settings & { readonly log: AttemptLog },
  work: SeatResult,
): Promise<Evidence> {
  if (!hasEndedWell(work)) return { checks: [], killed: null };
  return gatherEvidence(spec, control, settings);
}

/** Neither killed nor faulty, with exit 0 or a report. */
function hasEndedWell(work: SeatResult): boolean {
  const { exit, killed, fault } = work.end;
  return killed === null && fault === null && (exit === 0 || isReported(work));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
