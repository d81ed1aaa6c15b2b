// The report of an agent that a person started by hand. It counts as an attempt only together with the evidence that
// Bosun gathers itself, and only once for the same state of the checkout.
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Envelope, emptyEnvelope, type Report, type State } from '../engine/index.js';
import { attemptJob, type JobParts } from './attempt-job.js';
import { parseHandoff, parseResultFile } from './executor/index.js';
import type { AttemptSpec, RunAttempt } from './job.js';
import { checkpoint } from './workspace/index.js';

const maxFileBytes = 256 * 1024;

export interface HandReport {
  readonly envelope: Envelope;
  /** The same for the same report on the same files, however often a hook fires. */
  readonly fingerprint: string;
}

export async function readHandReport(
  state: State,
  nodeId: string,
  given: Report | null,
  parts: JobParts,
  run: RunAttempt,
): Promise<HandReport> {
  const job = attemptJob(state, nodeId, `${state.run.id}-by-hand`, parts);
  const spec: AttemptSpec = { ...job.payload, kind: 'check' };
  const handoff = readHandoff(spec);
  const result = given ?? readResult(spec.workdir);
  const before = await checkpoint(spec.workdir);
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([state.run.id, before.tree, before.head, result, handoff?.body, handoff?.front]))
    .digest('hex')
    .slice(0, 32);
  const control = { signal: new AbortController().signal, onExtend: () => undefined, report: () => undefined };
  const evidence = await run(spec, control);
  return {
    fingerprint,
    envelope: {
      ...emptyEnvelope,
      exit: 0,
      result,
      handoff,
      checks: evidence.checks,
      warnings: evidence.warnings,
      durationMs: evidence.durationMs,
      logPath: evidence.logPath,
      output: { ...emptyEnvelope.output, isEmpty: result === null && handoff === null },
    },
  };
}

/** A handoff of another story or step says nothing about this one. */
function readHandoff(spec: AttemptSpec): Envelope['handoff'] {
  const text = readSmall(join(spec.workdir, '.ai', 'HANDOFF.md'));
  if (text === null) return null;
  const { identity, handoff } = parseHandoff(text);
  const isOther =
    (identity.step !== null && identity.step !== spec.step) ||
    (identity.story !== null && spec.item !== '' && identity.story !== spec.item);
  return isOther ? null : handoff;
}

function readResult(workdir: string): Report | null {
  const text = readSmall(join(workdir, '.ai', 'executor-result'));
  return text === null ? null : parseResultFile(text).report;
}

function readSmall(path: string): string | null {
  // Not what a link leads to: that may be anything of the person's.
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() && found.size <= maxFileBytes ? readFileSync(path, 'utf8') : null;
}
