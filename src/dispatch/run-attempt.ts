// One attempt in a checkout: what was there before is noted first, what changed is measured after.
import { type Envelope, emptyEnvelope } from '../engine/index.js';
import type { AttemptSpec, JobControl, RunAttempt } from './job.js';
import { type Checkpoint, checkpoint, diffSince } from './workspace/index.js';

export interface CheckoutParts {
  readonly run: RunAttempt;
  readonly noteCheckpoint: (attempt: string, checkpoint: Checkpoint) => void;
  /** What there was before the tries whose work this one goes on with. */
  readonly earlierCheckpoint?: (attempt: string) => Checkpoint | null;
  readonly log: (message: string) => void;
}

export function inCheckout(parts: CheckoutParts): RunAttempt {
  return async (spec, control) => {
    if (spec.workdir === '') return noProject(spec);
    if (spec.kind === 'agent' && spec.executor === null) return noExecutor(spec);
    const before = await noteBefore(spec, parts);
    const envelope = await parts.run(spec, control);
    if (!before || isKilled(control)) return envelope;
    return measured(spec, parts.earlierCheckpoint?.(spec.attempt) ?? before, envelope, parts);
  };
}

async function noteBefore(spec: AttemptSpec, parts: CheckoutParts): Promise<Checkpoint | null> {
  if (spec.kind === 'check') return null;
  try {
    const before = await checkpoint(spec.workdir);
    parts.noteCheckpoint(spec.attempt, before);
    return before;
  } catch (error) {
    // The attempt itself will say what is wrong with the folder; without a checkpoint it cannot be rolled back.
    parts.log(`no checkpoint for ${spec.attempt}: ${String(error)}`);
    return null;
  }
}

async function measured(
  spec: AttemptSpec,
  before: Checkpoint,
  envelope: Envelope,
  parts: CheckoutParts,
): Promise<Envelope> {
  try {
    const diff = await diffSince(spec.workdir, before);
    return { ...envelope, diffStat: diff.stat, filesChanged: diff.files.slice(0, 500) };
  } catch (error) {
    parts.log(`no diff for ${spec.attempt}: ${String(error)}`);
    return envelope;
  }
}

function isKilled(control: JobControl): boolean {
  return control.signal.aborted && control.signal.reason === 'interrupted';
}

/** An empty path would be the folder that Bosun itself was started in. */
function noProject(spec: AttemptSpec): Envelope {
  const message = `${spec.project} is not in config.yaml any more. Put it back under projects, then retry.`;
  return { ...emptyEnvelope, fault: { code: 'workdir_missing', message } };
}

function noExecutor(spec: AttemptSpec): Envelope {
  const message = `No executor is set for ${spec.step}. Name one in config.yaml, under executors and at the project.`;
  return { ...emptyEnvelope, fault: { code: 'no_executor', message } };
}
