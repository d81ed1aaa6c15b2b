// A project's position from its `.workflow` folder; `survey-facts.ts` interprets it.
import { normaliseStatus } from '../report/status-words.js';

export interface Survey {
  readonly hasFolder: boolean;
  readonly hasSources: boolean;
  readonly hasRoadmap: boolean;
  readonly state: ProjectState | null;
  readonly problem: string | null;
  /** By the keys of `artifactsToRead`. */
  readonly results: Readonly<Record<string, ArtifactResults>>;
}

export interface ArtifactResults {
  /** Null: none, and `problem` says where. */
  readonly folder: string | null;
  readonly problem: string | null;
  readonly files: Readonly<Record<string, ResultFile>>;
}

export interface ResultFile {
  readonly at: number;
  readonly value: unknown;
  readonly error: string | null;
}

export interface ProjectState {
  /** Name or id. */
  readonly current: string | null;
  readonly milestones: readonly Milestone[];
  readonly artifacts: readonly Artifact[];
  readonly raw: string;
}

export interface Milestone {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly phases: readonly string[];
  readonly donePhases: readonly string[];
}

export interface Artifact {
  /** Unique, unlike the id. */
  readonly key: string;
  readonly id: string;
  readonly type: string;
  readonly milestone: string | null;
  readonly phase: string | null;
  readonly scope: string;
  readonly path: string | null;
  readonly status: string;
  /** ISO; its own, or from its path. */
  readonly date: string | null;
}

export const resultFiles = [
  'verification.json',
  'business-test-results.json',
  'review.json',
  'uat.md',
  '.tests/test-results.json',
] as const;

const maxMilestones = 200;
const maxPhases = 200;
const maxArtifacts = 2_000;
const maxFolders = 200;
const maxTextChars = 300;
const maxRawChars = 1_000;

/** Null: no object. Ignores unknown fields, defaults missing ones. */
export function readProjectState(value: unknown): ProjectState | null {
  if (!isRecord(value)) return null;
  const keys = new Set<string>();
  return {
    current: textOf(value['current_milestone']),
    milestones: recordsOf(value['milestones'], maxMilestones).map(readMilestone),
    artifacts: recordsOf(value['artifacts'], maxArtifacts).map((entry) => readArtifact(entry, keys)),
    raw: JSON.stringify(value).slice(0, maxRawChars),
  };
}

/** `2`, `"02"`, `P2`, `phase 2`. */
export function readPhase(value: unknown): string | null {
  const text = textOf(value);
  if (text === null) return null;
  return /^(?:p|phase)?[\s_-]?0*(\d{1,6}(?:\.\d{1,6})?)$/i.exec(text)?.[1] ?? text;
}

export function findMilestone(state: ProjectState, nameOrId: string): Milestone | null {
  return (
    state.milestones.find((it) => it.id === nameOrId) ?? state.milestones.find((it) => it.name === nameOrId) ?? null
  );
}

/** If the current one is over, the first open one after it. */
export function currentMilestone(state: ProjectState): Milestone | null {
  const current = state.current === null ? null : findMilestone(state, state.current);
  if (current === null) return state.current === null ? (state.milestones.find(isOpen) ?? null) : null;
  if (!isCompleted(current.status)) return current;
  return state.milestones.slice(state.milestones.indexOf(current) + 1).find(isOpen) ?? current;
}

export function isOpen(milestone: Milestone): boolean {
  return /^(|pending|active|in_progress|planned|not_started|open|todo)$/.test(milestone.status);
}

/** Declared order; else that of the artifacts. */
export function phasesOf(state: ProjectState, milestone: Milestone): readonly string[] {
  if (milestone.phases.length > 0) return milestone.phases;
  const named = state.artifacts.filter((it) => belongsTo(it, milestone)).map((it) => it.phase);
  return [...new Set(named.filter((phase) => phase !== null))].slice(0, maxPhases);
}

/** A phase's planned work, not ad hoc work. */
export function artifactsOf(state: ProjectState, milestone: Milestone, phase: string): readonly Artifact[] {
  return state.artifacts.filter((it) => it.phase === phase && belongsTo(it, milestone));
}

export function latestCompleted(state: ProjectState, milestone: Milestone, phase: string): Artifact | null {
  const completed = artifactsOf(state, milestone, phase).filter((it) => isCompleted(it.status));
  return latestOf(completed.filter((it) => stages.includes(it.type)));
}

/** By date (if all have one), number in the id, stage. */
export function latestOf(artifacts: readonly Artifact[]): Artifact | null {
  const dates = comparableDates(artifacts);
  const keyed = artifacts.map((artifact, index) => ({ artifact, date: dates[index] ?? '' }));
  keyed.sort(
    (a, b) =>
      compare(a.date, b.date) ||
      compare(numberOf(a.artifact), numberOf(b.artifact)) ||
      compare(stages.indexOf(a.artifact.type), stages.indexOf(b.artifact.type)) ||
      compare(a.artifact.id, b.artifact.id),
  );
  return keyed.at(-1)?.artifact ?? null;
}

/** The current milestone first. */
export function artifactsToRead(state: ProjectState): readonly Artifact[] {
  const current = currentMilestone(state);
  const others = state.milestones.filter((it) => it !== current);
  const found: Artifact[] = [];
  for (const milestone of current === null ? others : [current, ...others]) {
    for (const phase of phasesOf(state, milestone)) {
      const latest = latestCompleted(state, milestone, phase);
      if (latest?.type === 'verify' && found.length < maxFolders) found.push(latest);
    }
  }
  return found;
}

/** Null: the state file names none for this phase. */
export function artifactOfResult(state: ProjectState, phase: string | null, file: string): Artifact | null {
  const milestone = currentMilestone(state);
  const begun = state.artifacts.filter((it) => hasBegun(it) && (phase === null || it.phase === phase));
  const here = milestone === null ? [] : begun.filter((it) => belongsTo(it, milestone));
  const candidates = here.length > 0 ? here : begun;
  const isVerifys = file === 'verification.json' || file === 'business-test-results.json';
  const verified = isVerifys ? latestOf(candidates.filter((it) => it.type === 'verify')) : null;
  return verified ?? latestOf(candidates);
}

export function isCompleted(status: string): boolean {
  return normaliseStatus(status) === 'pass';
}

export function isInProgress(artifact: Artifact): boolean {
  return /^(in_progress|running|active|started)$/.test(artifact.status);
}

const stages: readonly string[] = ['analyze', 'plan', 'execute', 'verify'];

function hasBegun(artifact: Artifact): boolean {
  return isPlanned(artifact) && !/^(pending|planned|waiting|queued|cancelled|skipped)$/.test(artifact.status);
}

function isPlanned(artifact: Artifact): boolean {
  return artifact.phase !== null && artifact.scope !== 'adhoc' && artifact.scope !== 'standalone';
}

// An artifact without a milestone belongs to the one that has its phase.
function belongsTo(artifact: Artifact, milestone: Milestone): boolean {
  if (!isPlanned(artifact)) return false;
  if (artifact.milestone === null) return milestone.phases.some((phase) => phase === artifact.phase);
  return artifact.milestone === milestone.id || artifact.milestone === milestone.name;
}

// If some have only days, compares days.
function comparableDates(artifacts: readonly Artifact[]): readonly string[] {
  const dates = artifacts.map((it) => it.date ?? '');
  if (dates.every((date) => date.length > 10)) return dates;
  return dates.every((date) => date !== '') ? dates.map((date) => date.slice(0, 10)) : [];
}

function numberOf(artifact: Artifact): number {
  return Number(/(\d{1,9})\D*$/.exec(artifact.id)?.[1] ?? 0);
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function readMilestone(entry: Fields): Milestone {
  const id = textOf(entry['id']) ?? textOf(entry['name']) ?? '';
  const listed = Array.isArray(entry['phases']) ? entry['phases'].slice(0, maxPhases) : [];
  const phases = listed.map(readListedPhase).filter((it) => it.phase !== null);
  return {
    id,
    name: textOf(entry['name']) ?? id,
    status: wordOf(entry['status']),
    phases: [...new Set(phases.map((it) => it.phase))].filter((phase) => phase !== null),
    donePhases: phases.flatMap((it) => (it.phase !== null && isCompleted(it.status) ? [it.phase] : [])),
  };
}

function readListedPhase(entry: unknown): { readonly phase: string | null; readonly status: string } {
  if (!isRecord(entry)) return { phase: readPhase(entry), status: '' };
  const named = entry['phase'] ?? entry['number'] ?? entry['id'] ?? entry['name'];
  return { phase: readPhase(named), status: wordOf(entry['status']) };
}

function readArtifact(entry: Fields, keys: Set<string>): Artifact {
  const id = textOf(entry['id']) ?? '';
  const key = id === '' || keys.has(id) ? `${id}#${keys.size}` : id;
  keys.add(key);
  const path = textOf(entry['path']);
  return {
    key,
    id,
    type: wordOf(entry['type']),
    milestone: textOf(entry['milestone']),
    phase: readPhase(entry['phase']),
    scope: wordOf(entry['scope']),
    path,
    status: wordOf(entry['status']),
    date: dateOf(entry) ?? dayIn(path),
  };
}

function dateOf(entry: Fields): string | null {
  const named = [entry['completed_at'], entry['created_at'], entry['date']].map(textOf);
  return named.find((date) => date !== null && /^\d{4}-\d\d-\d\d/.test(date)) ?? null;
}

function dayIn(path: string | null): string | null {
  const day = /(?:^|\/)(\d{4})(\d\d)(\d\d)-/.exec(path ?? '');
  return day === null ? null : `${day[1]}-${day[2]}-${day[3]}`;
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// The last ones are the newest.
function recordsOf(value: unknown, limit: number): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord).slice(-limit) : [];
}

function textOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  return text === '' ? null : text.slice(0, maxTextChars);
}

function wordOf(value: unknown): string {
  return (textOf(value) ?? '').toLowerCase().replace(/[\s-]+/g, '_');
}
