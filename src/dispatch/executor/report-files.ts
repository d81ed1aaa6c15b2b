// The files through which an attempt reports: what lay there before it is kept apart from what it wrote itself.
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Handoff, Report } from '../../engine/index.js';
import type { AttemptSpec } from '../job.js';
import { attemptPaths } from './environment.js';
import { parseHandoff } from './handoff-file.js';
import { mismatchOf } from './report-identity.js';
import { parseResultFile } from './result-file.js';
import { isWithin, readFileWithin } from './safe-read.js';

/** What the hand-off and the state file looked like before the attempt, null where there was none. */
export interface ReportMarks {
  readonly handoff: string | null;
  readonly state: string | null;
}

export interface Reports {
  readonly result: Report | null;
  readonly handoff: Handoff | null;
  readonly warnings: readonly string[];
}

/** Moves a result file that an earlier attempt left into the shared folder; says so, or null without one. */
export function setAsideResult(spec: AttemptSpec): string | null {
  const { resultFile } = attemptPaths(spec);
  if (lstatSync(resultFile, { throwIfNoEntry: false }) === undefined) return null;
  if (!isWithin(realpathSync(spec.workdir), realpathSync(dirname(resultFile)))) {
    return 'the folder .ai leads outside the working directory: an executor-result in it was left alone';
  }
  const stale = join(spec.sharedDir, 'stale');
  mkdirSync(stale, { recursive: true });
  const target = join(stale, `${spec.attempt}-executor-result`);
  rmSync(target, { recursive: true, force: true });
  try {
    renameSync(resultFile, target);
  } catch {
    // Another file system: what matters is that it is not there when the attempt begins.
    rmSync(resultFile, { recursive: true, force: true });
  }
  return 'an executor-result of an earlier attempt was taken away';
}

export function markReports(spec: AttemptSpec): ReportMarks {
  const mark = (path: string) => {
    const file = readFileWithin(spec.workdir, path);
    return file.type === 'text' ? markOf(file.text, file.mtimeMs) : null;
  };
  return { handoff: mark(attemptPaths(spec).handoffFile), state: mark(statePath(spec)) };
}

export function readReports(spec: AttemptSpec, before: ReportMarks): Reports {
  const warnings: string[] = [];
  const handoff = readHandoff(spec, before.handoff, warnings);
  const result = readResult(spec, warnings) ?? (handoff === null ? readState(spec, before.state) : null);
  return { result, handoff, warnings };
}

/** A hook of somebody else's may write how it went into the exported state: a report like any other. */
function readState(spec: AttemptSpec, before: string | null): Report | null {
  const file = readFileWithin(spec.workdir, statePath(spec));
  if (file.type !== 'text' || markOf(file.text, file.mtimeMs) === before) return null;
  const { identity, report } = parseResultFile(file.text);
  // "running" and "pending" are Bosun's own words for an attempt that has not ended.
  const isOwn = report.status === null || report.status === 'running' || report.status === 'pending';
  return isOwn || identity.step === null || mismatchOf({ ...identity, attempt: null }, spec) !== null ? null : report;
}

function statePath(spec: AttemptSpec): string {
  return join(spec.workdir, '.ai', 'STATE.json');
}

function readResult(spec: AttemptSpec, warnings: string[]): Report | null {
  const file = readFileWithin(spec.workdir, attemptPaths(spec).resultFile);
  if (file.type === 'refused') warnings.push(file.why);
  if (file.type !== 'text') return null;
  if (file.text.trim() === '') {
    warnings.push('executor-result is empty: ignored');
    return null;
  }
  const parsed = parseResultFile(file.text);
  const mismatch = mismatchOf(parsed.identity, spec);
  if (mismatch !== null) {
    warnings.push(`executor-result names ${mismatch}: stale, ignored`);
    return null;
  }
  if (parsed.warning !== null) warnings.push(parsed.warning);
  return parsed.report;
}

function readHandoff(spec: AttemptSpec, before: string | null, warnings: string[]): Handoff | null {
  const file = readFileWithin(spec.workdir, attemptPaths(spec).handoffFile);
  if (file.type === 'refused') warnings.push(file.why);
  if (file.type !== 'text' || markOf(file.text, file.mtimeMs) === before || file.text.trim() === '') return null;
  const parsed = parseHandoff(file.text);
  const mismatch = mismatchOf(parsed.identity, spec);
  if (mismatch !== null) {
    warnings.push(`HANDOFF.md names ${mismatch}: stale, ignored`);
    return null;
  }
  if (parsed.warning !== null) warnings.push(parsed.warning);
  return parsed.handoff;
}

function markOf(text: string, mtimeMs: number): string {
  return `${mtimeMs} ${createHash('sha256').update(text).digest('hex')}`;
}
