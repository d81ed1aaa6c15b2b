// Time and money of the newest runs. Each run is read up to a limit.
import { personName } from '../../../bot/index.js';
import { nameInConfig } from '../../../config/index.js';
import type { Interaction, Run } from '../../../engine/index.js';
import type { AttemptRow, HomeReader } from '../../../store/index.js';
import { failureWords, isFailed } from '../attempt/attempt-said.js';
import { timelineOf } from '../run/timeline/timeline-data.js';
import { lineOf } from '../shared/text.js';

export interface TimeShare {
  readonly workMs: number;
  readonly waitMs: number;
  readonly restMs: number;
}

export interface PersonWait {
  readonly name: string;
  readonly waitMs: number;
  /** From question to answer, one for each answer. */
  readonly answersMs: readonly number[];
}

export interface FailingStep {
  readonly project: string;
  readonly step: string;
  readonly failed: number;
  readonly tries: number;
  /** Most failed tries ended with these. */
  readonly because: string;
  readonly alike: number;
  readonly lostUsd: number;
  readonly newest: AttemptRow;
}

export interface WorkSample {
  readonly runs: number;
  readonly all: TimeShare;
  /** Largest first, like all lists here. */
  readonly projects: readonly (TimeShare & { readonly name: string })[];
  readonly people: readonly PersonWait[];
  readonly agents: readonly { readonly name: string; readonly usd: number }[];
  readonly steps: readonly FailingStep[];
}

export const sampleLimits = { runs: 100, attempts: 20, questions: 12 };
const shown = { projects: 12, people: 12, agents: 4, steps: 8 };

interface SampledRun {
  readonly run: Run;
  readonly attempts: readonly AttemptRow[];
  readonly interactions: readonly Interaction[];
}

export function sampleOf(reader: HomeReader, runs: readonly Run[], now: number): WorkSample {
  const sampled = runs.slice(0, sampleLimits.runs).map((run) => readRun(reader, run));
  const times = timesOf(sampled, now);
  return {
    runs: sampled.length,
    all: sumOf([...times.projects.values()]),
    projects: [...times.projects]
      .map(([name, share]) => ({ name, ...share }))
      .toSorted((a, b) => totalOf(b) - totalOf(a))
      .slice(0, shown.projects),
    people: times.people,
    agents: agentsOf(sampled),
    steps: failingSteps(reader, sampled),
  };
}

function readRun(reader: HomeReader, run: Run): SampledRun {
  const count = run.counters.interactions;
  const length = Math.min(sampleLimits.questions, count);
  const ids = Array.from({ length }, (_, index) => `i${run.number}-${count - index}`);
  return {
    run,
    attempts: reader.browsing.newestAttempts(run.id, sampleLimits.attempts),
    interactions: ids.flatMap((id) => reader.interaction(id)?.interaction ?? []),
  };
}

export function totalOf({ workMs, waitMs, restMs }: TimeShare): number {
  return workMs + waitMs + restMs;
}

function sumOf(shares: readonly TimeShare[]): TimeShare {
  return shares.reduce(
    (sum, one) => ({
      workMs: sum.workMs + one.workMs,
      waitMs: sum.waitMs + one.waitMs,
      restMs: sum.restMs + one.restMs,
    }),
    { workMs: 0, waitMs: 0, restMs: 0 },
  );
}

/** As on the timeline: work if anything worked, else waiting. */
function timesOf(sampled: readonly SampledRun[], now: number) {
  const projects = new Map<string, TimeShare>();
  const people = new Map<string, { waitMs: number; answersMs: number[] }>();
  const personOf = (by: string | null) => {
    const name = by === null ? 'not answered yet' : lineOf(personName(nameInConfig(by)), 40) || 'somebody';
    const person = people.get(name) ?? { waitMs: 0, answersMs: [] };
    people.set(name, person);
    return person;
  };
  for (const { run, attempts, interactions } of sampled) {
    const data = timelineOf({ attempts, interactions, labelOf: ({ node }) => node, now });
    if (data === null) continue;
    const waitMs = data.waits.reduce((sum, { ms }) => sum + ms, 0);
    const restMs = Math.max(0, data.to - data.from - data.workMs - waitMs);
    const before = projects.get(run.project);
    const share = { workMs: data.workMs, waitMs, restMs };
    projects.set(run.project, before === undefined ? share : sumOf([before, share]));
    for (const { by, ms } of data.waits) if (by !== '') personOf(by).waitMs += ms;
    for (const { answer, openedAt } of interactions)
      if (answer !== null) personOf(answer.by).answersMs.push(Math.max(0, answer.at - openedAt));
  }
  return {
    projects,
    people: [...people]
      .map(([name, person]) => ({ name, ...person }))
      .toSorted((a, b) => b.waitMs - a.waitMs)
      .slice(0, shown.people),
  };
}

function agentsOf(sampled: readonly SampledRun[]): WorkSample['agents'] {
  const sums = new Map<string, number>();
  for (const { attempt } of sampled.flatMap(({ attempts }) => attempts)) {
    if (!attempt.costUsd) continue;
    const name = lineOf(attempt.program ?? 'unnamed', 40);
    sums.set(name, (sums.get(name) ?? 0) + attempt.costUsd);
  }
  return [...sums]
    .map(([name, usd]) => ({ name, usd }))
    .toSorted((a, b) => b.usd - a.usd)
    .slice(0, shown.agents);
}

function failingSteps({ browsing }: HomeReader, sampled: readonly SampledRun[]): readonly FailingStep[] {
  const steps = new Map<string, { project: string; step: string; tries: AttemptRow[] }>();
  for (const { run, attempts } of sampled)
    for (const row of attempts) {
      if (row.attempt.outcome === null) continue;
      const step = browsing.nodeName(run.id, row.node) ?? row.node;
      const key = JSON.stringify([run.project, step]);
      const one = steps.get(key) ?? { project: run.project, step, tries: [] };
      one.tries.push(row);
      steps.set(key, one);
    }
  return [...steps.values()]
    .flatMap(({ project, step, tries }): readonly FailingStep[] => {
      const failed = tries.filter(({ attempt }) => isFailed(attempt));
      const [newest] = failed;
      if (newest === undefined) return [];
      const words = new Map<string, number>();
      for (const { attempt } of failed) words.set(failureWords(attempt), (words.get(failureWords(attempt)) ?? 0) + 1);
      const [[because, alike] = ['', 0]] = [...words].toSorted(([, a], [, b]) => b - a);
      const lostUsd = failed.reduce((sum, { attempt }) => sum + (attempt.costUsd ?? 0), 0);
      return [{ project, step, failed: failed.length, tries: tries.length, because, alike, lostUsd, newest }];
    })
    .toSorted((a, b) => b.failed - a.failed)
    .slice(0, shown.steps);
}
