import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { Handoff, Output, Report, TeamReport } from '../../engine/index.js';
import type { AgentOutcome } from '../adapters/port.js';
import { attemptPaths, baseOf, type Seat } from '../processes/environment.js';
import type { ProcessEnd } from '../processes/run-process.js';
import { readFileWithin } from '../processes/safe-read.js';
import { setAside } from './edits-file.js';
import { parseHandoff } from './handoff-file.js';
import { mismatchOf } from './report-identity.js';
import { parseResultFile } from './result-file.js';

/** Fingerprints from before the attempt; null: absent. */
export interface ReportMarks {
  readonly handoff: string | null;
  readonly state: string | null;
  /** Evidence that a hook leaves unchanged is not this attempt's. */
  readonly evidence: string | null;
}

export interface Reports {
  readonly result: Report | null;
  readonly handoff: Handoff | null;
  readonly warnings: readonly string[];
}

export function setAsideResult(spec: Seat): string | null {
  const target = join(spec.sharedDir, 'stale', `${spec.attempt}-executor-result`);
  switch (setAside(spec.workdir, attemptPaths(spec).resultFile, target, baseOf(spec, target))) {
    case 'absent':
      return null;
    case 'foreign':
      return 'the folder .ai leads outside the working directory: Bosun did not touch the executor-result in it';
    case 'moved':
      return 'moved the executor-result of an earlier attempt away';
  }
}

export function setAsideHandoff(spec: Seat): void {
  const ai = join(spec.workdir, '.ai');
  setAside(spec.workdir, join(ai, 'HANDOFF.md'), join(ai, 'HANDOFF.previous.md'), spec.workdir);
}

export function markReports(spec: Seat): ReportMarks {
  const { reportFolder, handoffFile } = attemptPaths(spec);
  const mark = (folder: string, path: string) => {
    const file = readFileWithin(folder, path);
    return file.type === 'text' ? markOf(file.text, file.mtimeMs) : null;
  };
  const state = readFileWithin(spec.workdir, statePath(spec));
  return {
    handoff: mark(reportFolder, handoffFile),
    state: state.type === 'text' ? markOf(state.text, state.mtimeMs) : null,
    evidence: state.type === 'text' ? JSON.stringify(readEvidence(state.text)) : null,
  };
}

export function readReports(spec: Seat, before: ReportMarks): Reports {
  const warnings: string[] = [];
  const handoff = readHandoff(spec, before.handoff, warnings);
  // The state file covers the whole attempt, not a member.
  const isWhole = handoff === null && spec.role === undefined && !spec.isBeside;
  const result = readResult(spec, warnings);
  const state = result === null && isWhole ? readState(spec, before) : null;
  return { result: result ?? state?.result ?? null, handoff: handoff ?? state?.handoff ?? null, warnings };
}

/** Another program's hook may write the outcome into the exported state; it counts as a report. */
function readState(spec: Seat, before: ReportMarks): { readonly result: Report; readonly handoff: Handoff } | null {
  const file = readFileWithin(spec.workdir, statePath(spec));
  if (file.type !== 'text' || markOf(file.text, file.mtimeMs) === before.state) return null;
  const { identity, report } = parseResultFile(file.text);
  // Bosun's own words for an unfinished attempt.
  const isOwn = report.status === null || report.status === 'running' || report.status === 'pending';
  if (isOwn || identity.step === null || mismatchOf({ ...identity, attempt: null }, spec) !== null) return null;
  const evidence = readEvidence(file.text);
  const isNew = JSON.stringify(evidence) !== before.evidence;
  const { tests, filesChanged } = isNew ? evidence : noEvidence;
  return {
    result: report,
    handoff: { front: { ...report, tests, filesChanged, reviewDigest: null, questions: [] }, body: '' },
  };
}

const noEvidence = { tests: null, filesChanged: [] };
const count = z.number().int().min(0).max(1_000_000);
const evidenceSchema = z.object({
  tests: z.object({ pass: count, fail: count, skip: count }).nullish().catch(null),
  files_changed: z.array(z.string().max(1000)).max(10_000).catch([]),
});

function readEvidence(text: string): Pick<NonNullable<Handoff['front']>, 'tests' | 'filesChanged'> {
  try {
    const { tests = null, files_changed: filesChanged } = evidenceSchema.parse(JSON.parse(text));
    return { tests, filesChanged };
  } catch {
    // Not JSON: it reports by its lines, without evidence.
    return noEvidence;
  }
}

function statePath(spec: Seat): string {
  return join(spec.workdir, '.ai', 'STATE.json');
}

function readResult(spec: Seat, warnings: string[]): Report | null {
  const { reportFolder, resultFile } = attemptPaths(spec);
  const file = readFileWithin(reportFolder, resultFile);
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

function readHandoff(spec: Seat, before: string | null, warnings: string[]): Handoff | null {
  const { reportFolder, handoffFile } = attemptPaths(spec);
  const file = readFileWithin(reportFolder, handoffFile);
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

export interface SeatResult {
  readonly end: ProcessEnd;
  readonly output: Output;
  readonly result: Report | null;
  readonly handoff: Handoff | null;
  readonly team: readonly TeamReport[];
  readonly warnings: readonly string[];
  readonly agent: AgentReport;
}

export type AgentReport = Pick<AgentOutcome, 'session' | 'program' | 'usage' | 'asks'>;

export const noAgent: AgentReport = { session: null, program: null, usage: null, asks: [] };

/** A result, a hand-off or a printed STATUS. */
export function isReported(work: SeatResult): boolean {
  return work.result !== null || work.handoff !== null || Object.hasOwn(work.output.keys, 'STATUS');
}
