// A manual report needs evidence that Bosun gathers, and counts once per state of the checkout.
import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseHandoff, parseResultFile } from '../../agents/index.js';
import { BosunError } from '../../base/index.js';
import { type Envelope, emptyEnvelope, type Output, parseOutput, type Report, type State } from '../../engine/index.js';
import type { AttemptSpec, RunAttempt } from '../../jobs/index.js';
import { checkpoint, markEvidence, writtenAfter } from '../../workspace/index.js';
import { attemptJob, type JobParts } from './job-builder.js';

const maxFileBytes = 256 * 1024;

export type ManualReportFiles = Report | { readonly said: string } | null;

export interface ManualReport {
  readonly envelope: Envelope;
  /** Equal for the same report on the same files: dedupes hooks. */
  readonly fingerprint: string;
}

export async function readHandReport(
  state: State,
  nodeId: string,
  given: ManualReportFiles,
  parts: JobParts,
  run: RunAttempt,
): Promise<ManualReport> {
  // Unique, so that checks of concurrent reports do not end each other.
  const own = `${state.run.id}-by-hand-${randomBytes(6).toString('hex')}`;
  const job = attemptJob(state, nodeId, own, parts);
  const spec: AttemptSpec = { ...job.payload, kind: 'check' };
  const since = lastSettledAt(state);
  const handoff = readHandoff(spec, since);
  const said = given !== null && 'said' in given ? statusIn(given.said, spec.outputs) : null;
  const result = given === null || 'said' in given ? readResult(spec.workdir, since) : given;
  // A repeated hook must not count for the next step.
  if (result === null && handoff === null && said === null) throw noReport(spec);
  const before = await checkpoint(spec.workdir);
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([state.run.id, before.tree, before.head, result, handoff?.body, handoff?.front, said]))
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
      progress: evidence.progress,
      ...(await wroteSince(spec, since)),
      output: said ?? { ...emptyEnvelope.output, isEmpty: false },
    },
  };
}

/** By time stamps, because a manual start has no checkpoint. */
async function wroteSince({ workdir, evidence }: AttemptSpec, since: number): Promise<Pick<Envelope, 'wrote'>> {
  return evidence === undefined ? {} : { wrote: writtenAfter(await markEvidence(workdir, evidence), since) };
}

function statusIn(text: string, outputs: readonly string[] | null): Output | null {
  const output = parseOutput(text, outputs);
  return output.keys['STATUS'] === undefined ? null : output;
}

/** Older files belong to the previous attempt. */
function lastSettledAt({ chain, items }: State): number {
  const begunAt = items.find((item) => item.key === chain.key)?.startedAt ?? 0;
  return Math.max(begunAt, ...chain.nodes.map((node) => node.last?.endedAt ?? 0));
}

function noReport({ step, project }: AttemptSpec): BosunError {
  return new BosunError('not_now', `No new report on ${step} of ${project}`, {
    hint: 'Report the outcome with --status, or write .ai/executor-result or .ai/HANDOFF.md.',
  });
}

/** Null: of another story or step. */
function readHandoff(spec: AttemptSpec, since: number): Envelope['handoff'] {
  const text = readNew(join(spec.workdir, '.ai', 'HANDOFF.md'), since);
  if (text === null) return null;
  const { identity, handoff } = parseHandoff(text);
  const isOther =
    (identity.step !== null && identity.step !== spec.step) ||
    (identity.story !== null && spec.item !== '' && identity.story !== spec.item);
  return isOther ? null : handoff;
}

function readResult(workdir: string, since: number): Report | null {
  const text = readNew(join(workdir, '.ai', 'executor-result'), since);
  return text === null ? null : parseResultFile(text).report;
}

function readNew(path: string, since: number): string | null {
  // Security: a link could lead to any file of the person.
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > maxFileBytes || found.mtimeMs < since) return null;
  return readFileSync(path, 'utf8');
}
