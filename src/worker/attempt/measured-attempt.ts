// One attempt: checkpoint before, measurement after, and redaction of everything the agent reports.

import { scriptTexts } from '../../agents/index.js';
import {
  BosunError,
  lineRedactor,
  placeOf,
  type Redact,
  redacted,
  restoreSettings,
  type SettingsGuard,
  settingsChanged,
  tellChanges,
} from '../../base/index.js';
import { ruleMarks } from '../../config/index.js';
import { type Envelope, emptyEnvelope, type Fault } from '../../engine/index.js';
import type { AttemptSpec, JobControl, RunAttempt } from '../../jobs/index.js';
import { aboutAttempt } from '../../jobs/index.js';
import {
  type Checkpoint,
  checkpoint,
  type EvidenceMarks,
  hasCommit,
  markEvidence,
  textsIn,
} from '../../workspace/index.js';
import { type MeasureParts, measured, unmeasured, withEvidence, written } from './measure.js';
import { withPictures } from './pictures.js';
import { hidesWork } from './tool-permission.js';

export interface MeasuredAttemptParts extends MeasureParts {
  readonly run: RunAttempt;
  /** Null: Bosun's own machine measures. */
  readonly noteCheckpoint: ((attempt: string, checkpoint: Checkpoint) => void | Promise<void>) | null;
  /** Precedes the tries that this one continues. */
  readonly earlierCheckpoint: (attempt: string) => Checkpoint | null;
  readonly settings: SettingsGuard;
  /** Without asking, because the checkout is Bosun's copy. */
  readonly putsSettingsBack: boolean;
  readonly redactOf: (spec: AttemptSpec) => Redact;
}

export function measuredAttempt(parts: MeasuredAttemptParts): RunAttempt {
  return async (spec, control) => {
    if (spec.workdir === '') return noProject(spec);
    if (spec.kind === 'agent' && spec.executor === null) return noExecutor(spec);
    const redact = parts.redactOf(spec);
    const place = placeOf(spec.workdir);
    const { settings } = parts;
    const waiting = settings.begin(spec.attempt, spec.workdir);
    if (waiting.length > 0) return settingsFault(spec, emptyEnvelope, waiting);
    try {
      const { before, fault } = await noteBefore(spec, parts);
      if (fault !== null) return { ...emptyEnvelope, fault };
      const evidence = await marksBefore(spec, before, parts);
      const told = await parts.run(await withScripts(spec, before, parts), discreet(control, redact));
      const envelope = withoutHidden(told, redacted(told, redact));
      if (place !== null && isReplaced(spec.workdir, place)) return replaced(spec, envelope);
      const changes = settings.look(spec.attempt);
      if (changes.length > 0) return afterChange(spec, envelope, changes, parts);
      if (isKilled(control)) return envelope;
      return await withPictures(spec, await measuredOr(spec, before, evidence, envelope, parts), parts.home);
    } finally {
      settings.end(spec.attempt);
    }
  };
}

/** Git settings changed, so no git may run here. */
function afterChange(
  spec: AttemptSpec,
  envelope: Envelope,
  changes: readonly string[],
  { putsSettingsBack, log }: MeasuredAttemptParts,
): Envelope {
  if (!putsSettingsBack) return settingsFault(spec, envelope, changes);
  try {
    restoreSettings(spec.workdir);
    const warning = `${tellChanges(spec.workdir, changes)}\nBosun restored them.`;
    return { ...envelope, warnings: [...envelope.warnings, warning] };
  } catch (error) {
    log(`cannot restore the git settings of ${spec.attempt}: ${String(error)}`, {
      ...aboutAttempt(spec),
      level: 'warn',
    });
    return settingsFault(spec, envelope, changes);
  }
}

function settingsFault({ workdir }: AttemptSpec, envelope: Envelope, changes: readonly string[]): Envelope {
  const hint =
    'Check the change before you accept it: until then Bosun runs no git there and does not measure the work.';
  const message = `${tellChanges(workdir, changes)}\n${hint}`;
  return { ...envelope, fault: { code: settingsChanged, message, remedy: 'ask' } };
}

/** Redaction hid part of a command: a person cannot allow what the card does not show. */
function withoutHidden({ asks = [] }: Envelope, bare: Envelope): Envelope {
  if (bare.asks === undefined) return bare;
  const shown = bare.asks.map((one, at) => {
    if (one.permission === null || !hidesWork(asks[at]?.text ?? '', one.text)) return one;
    return { ...one, text: `${one.text}\n${notShown}`, permission: { ...one.permission, mark: 'none' } };
  });
  return { ...bare, asks: shown };
}

const notShown = 'Part of it looks like a secret and is hidden, so allowing it has no effect.';

function discreet(control: JobControl, redact: Redact): JobControl {
  const lines = lineRedactor(redact);
  return {
    ...control,
    signal: control.signal,
    onExtend: (listen) => control.onExtend(listen),
    onWait: (listen) => control.onWait?.(listen),
    report: (progress) => {
      const bare =
        progress.type === 'output' ? { ...progress, line: lines.take(progress.line) } : redacted(progress, redact);
      control.report(bare);
    },
  };
}

interface NotedBefore {
  readonly before: Checkpoint | null;
  /** Set: the agent must not run, because its work could not be measured. */
  readonly fault: Fault | null;
}

async function noteBefore(spec: AttemptSpec, parts: MeasuredAttemptParts): Promise<NotedBefore> {
  if (spec.kind === 'check' || parts.noteCheckpoint === null) return { before: null, fault: null };
  const warn = (what: string, error: unknown) =>
    parts.log(`${what} for ${spec.attempt}: ${String(error)}`, { ...aboutAttempt(spec), level: 'warn' });
  let before: Checkpoint;
  try {
    before = { ...(await withEvidence(spec, await checkpoint(spec.workdir))), rules: ruleMarks(spec) };
  } catch (error) {
    warn('no checkpoint', error);
    // Outside git the attempt itself reports the folder's problem.
    return { before: null, fault: (await hasCommit(spec.workdir)) ? unmeasured(error) : null };
  }
  try {
    await parts.noteCheckpoint(spec.attempt, before);
  } catch (error) {
    // The work would go unrecorded.
    if (error instanceof BosunError && error.code === 'bad_database') throw error;
    // Still measured, but without a rollback.
    warn('no note of the checkpoint', error);
  }
  return { before, fault: null };
}

async function withScripts(
  spec: AttemptSpec,
  before: Checkpoint | null,
  { log }: Pick<MeasuredAttemptParts, 'log'>,
): Promise<AttemptSpec> {
  const { executor, tests, check, ownerLines = [] } = spec;
  const roles = executor !== null && 'roles' in executor ? Object.values(executor.roles) : [];
  const own = executor !== null && 'tools' in executor ? executor.tools : [];
  const rules = [...own, ...roles.flatMap(({ tools = [] }) => tools)];
  const ruled = rules.flatMap((rule) => /^Bash\((.+?)(?::\*)?\)$/s.exec(rule)?.[1] ?? []);
  const lines = [tests?.run, check, ...ownerLines, ...ruled].filter((line) => typeof line === 'string');
  const tree = spec.baseline?.whole ?? before?.tree;
  if (tree === undefined || lines.length === 0) return spec;
  try {
    return { ...spec, scripts: await scriptTexts(lines, (paths) => textsIn(spec.workdir, tree, paths)) };
  } catch (error) {
    log(`cannot read the scripts of ${spec.attempt}: ${String(error)}`, { ...aboutAttempt(spec), level: 'warn' });
    return spec;
  }
}

async function measuredOr(
  spec: AttemptSpec,
  before: Checkpoint | null,
  evidence: EvidenceMarks | undefined,
  envelope: Envelope,
  parts: MeasuredAttemptParts,
): Promise<Envelope> {
  if (before === null) return { ...envelope, ...(await written(spec, evidence, parts)) };
  return measured(spec, parts.earlierCheckpoint(spec.attempt) ?? before, envelope, parts);
}

/** A check takes no checkpoint but may write evidence. */
async function marksBefore(
  spec: AttemptSpec,
  before: Checkpoint | null,
  { noteCheckpoint }: MeasuredAttemptParts,
): Promise<EvidenceMarks | undefined> {
  if (before !== null) return before.evidence;
  if (spec.evidence === undefined || noteCheckpoint === null) return undefined;
  return markEvidence(spec.workdir, spec.evidence);
}

function isKilled(control: JobControl): boolean {
  return control.signal.aborted && control.signal.reason === 'interrupted';
}

function isReplaced(workdir: string, place: string): boolean {
  const now = placeOf(workdir);
  return now !== null && now !== place;
}

/** Measuring would describe another folder. */
function replaced({ workdir }: AttemptSpec, envelope: Envelope): Envelope {
  const message = `This attempt turned ${workdir} into a link to another place. Restore the folder, then retry.`;
  return { ...envelope, fault: { code: 'workdir_replaced', message, remedy: 'ask' } };
}

/** '' would resolve to the folder where Bosun started. */
function noProject(spec: AttemptSpec): Envelope {
  const message = `${spec.project} is no longer in config.yaml. Add it back under projects, then retry.`;
  return { ...emptyEnvelope, fault: { code: 'workdir_missing', message } };
}

function noExecutor(spec: AttemptSpec): Envelope {
  const message = `No executor is set for ${spec.step}. Add one under executors in config.yaml and set it for the project.`;
  return { ...emptyEnvelope, fault: { code: 'no_executor', message } };
}
