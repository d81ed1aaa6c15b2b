import { BosunError, type Log, strayLinks } from '../../base/index.js';
import { touchedRules } from '../../config/index.js';
import type { Change, Envelope, Fault } from '../../engine/index.js';
import { type AttemptSpec, aboutAttempt } from '../../jobs/index.js';
import {
  type Checkpoint,
  type Diff,
  diffCommits,
  diffSince,
  type EvidenceMarks,
  markEvidence,
  writtenSince,
} from '../../workspace/index.js';

export interface MeasureParts {
  readonly earlierTries: (attempt: string) => EarlierTries | null;
  /** Holds the accepted rules; null: not on this machine. */
  readonly home: string | null;
  readonly log: Log;
}

export interface EarlierTries {
  readonly before: Checkpoint;
  readonly files: readonly string[];
}

export async function measured(
  spec: AttemptSpec,
  before: Checkpoint,
  envelope: Envelope,
  parts: MeasureParts,
): Promise<Envelope> {
  const touched = rulesTouched(spec, before, parts);
  const judged = touched.length === 0 ? envelope : { ...envelope, touchedRules: touched };
  try {
    const diff = await diffSince(spec.workdir, before);
    const files = [...new Set([...touched, ...diff.files])].slice(0, maxMeasured);
    const filesChanged = files.slice(0, maxFiles);
    // The short list may hide a file out of scope.
    const filesKept = (await keptOf(spec, files, parts)) ?? (files.length > maxFiles ? files : null);
    const strays = strayLinks(spec.workdir, filesKept ?? filesChanged);
    return {
      ...judged,
      ...(await written(spec, before.evidence, parts)),
      diffStat: diff.stat,
      filesChanged,
      ...(filesKept === null ? {} : { filesKept }),
      ...(strays.length === 0 ? {} : { strays }),
      ...(await workOf(spec, before, diff, parts)),
    };
  } catch (error) {
    parts.log(`no diff for ${spec.attempt}: ${String(error)}`, { ...aboutAttempt(spec), level: 'warn' });
    // Fail closed: an agent can cause this, and the scope cannot be checked.
    return { ...judged, ...(spec.evidence !== undefined && { wrote: [] }), fault: judged.fault ?? unmeasured(error) };
  }
}

export function unmeasured(error: unknown): Fault {
  const { message, hint } = error instanceof BosunError ? error : { message: String(error), hint: null };
  const text = `The step's changes cannot be measured: ${message}.${hint === null ? '' : ` ${hint}`}`;
  return { code: 'unmeasured', message: text, remedy: 'ask' };
}

/** The chain's work so far, for a reviewer. */
async function workOf(
  spec: AttemptSpec,
  before: Checkpoint,
  diff: Diff,
  { log }: Pick<MeasureParts, 'log'>,
): Promise<Pick<Envelope, 'work'>> {
  const { whole = before.tree, since } = spec.baseline ?? {};
  try {
    const all = await changeBetween(spec.workdir, whole, diff);
    const later = since === undefined ? null : await changeBetween(spec.workdir, since, diff);
    // gc may have deleted the compared tree.
    return all === null ? {} : { work: { whole: all, ...(later !== null && { since: later }) } };
  } catch (error) {
    log(`the work of ${spec.attempt} is not measured: ${String(error)}`, { ...aboutAttempt(spec), level: 'warn' });
    return {};
  }
}

async function changeBetween(folder: string, from: string, now: Diff): Promise<Change | null> {
  const diff = from === now.from ? now : await diffCommits(folder, now.to, from);
  return diff && { from, to: now.to, stat: diff.stat, files: diff.changes.slice(0, maxFilesOfCard) };
}

const maxFilesOfCard = 20;

/** Compared with the first try: a retry fails too while rules stay changed. */
function rulesTouched(
  spec: AttemptSpec,
  before: Checkpoint,
  { earlierTries, home }: Pick<MeasureParts, 'earlierTries' | 'home'>,
): readonly string[] {
  const { rules = before.rules } = earlierTries(spec.attempt)?.before ?? before;
  return rules === undefined ? [] : touchedRules(rules, spec, home);
}

/** `maxFiles` are stored in the envelope, `maxMeasured` are checked. */
const maxFiles = 500;
const maxMeasured = 5_000;

/** Files changed by any try and still different from before the first; null on a first try. */
async function keptOf(
  spec: AttemptSpec,
  filesChanged: readonly string[],
  parts: Pick<MeasureParts, 'earlierTries' | 'log'>,
): Promise<readonly string[] | null> {
  const earlier = parts.earlierTries(spec.attempt);
  if (earlier === null) return null;
  try {
    const theirs = new Set([...filesChanged, ...earlier.files]);
    const { files } = await diffSince(spec.workdir, earlier.before);
    return files.filter((file) => theirs.has(file)).slice(0, maxMeasured);
  } catch (error) {
    parts.log(`no diff for ${spec.attempt} since the first try: ${String(error)}`, {
      ...aboutAttempt(spec),
      level: 'warn',
    });
    return null;
  }
}

export async function withEvidence(spec: AttemptSpec, at: Checkpoint): Promise<Checkpoint> {
  return spec.evidence === undefined ? at : { ...at, evidence: await markEvidence(spec.workdir, spec.evidence) };
}

export async function written(
  spec: AttemptSpec,
  before: EvidenceMarks | undefined,
  { log }: Pick<MeasureParts, 'log'>,
): Promise<Pick<Envelope, 'wrote'>> {
  if (spec.evidence === undefined || before === undefined) return {};
  try {
    return { wrote: writtenSince(before, await markEvidence(spec.workdir, spec.evidence)) };
  } catch (error) {
    log(`cannot read the evidence of ${spec.attempt}: ${String(error)}`, { ...aboutAttempt(spec), level: 'warn' });
    return { wrote: [] };
  }
}
