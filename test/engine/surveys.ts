// Small surveys in memory: what a test names, and a project that is otherwise in order.
import type { ArtifactResults, Survey } from '../../src/engine/survey/survey.js';
import { readProjectState } from '../../src/engine/survey/survey.js';

export type Written = Readonly<Record<string, unknown>>;

export function stateOf(fields: Written = {}) {
  return readProjectState({
    current_milestone: 'MVP',
    milestones: [{ id: 'M1', name: 'MVP', status: 'active', phases: [1] }],
    artifacts: [],
    ...fields,
  });
}

export function surveyOf(fields: Written = {}, more: Partial<Survey> = {}): Survey {
  return {
    hasFolder: true,
    hasSources: true,
    hasRoadmap: true,
    state: stateOf(fields),
    problem: null,
    results: {},
    ...more,
  };
}

/** Stages that are behind a phase, as the document of the design writes them. */
export function stages(phase: number, types: readonly string[], more: Written = {}): readonly Written[] {
  return types.map((type) => ({
    id: `${prefixes[type] ?? 'XYZ'}-00${phase}`,
    type,
    milestone: 'MVP',
    phase,
    scope: 'phase',
    path: `phases/0${phase}-work`,
    status: 'completed',
    ...more,
  }));
}

export const untilVerify: readonly string[] = ['analyze', 'plan', 'execute', 'verify'];

const prefixes: Readonly<Record<string, string>> = { analyze: 'ANL', plan: 'PLN', execute: 'EXC', verify: 'VRF' };

/** Result files, each a minute younger than the one before. */
export function results(files: Readonly<Record<string, unknown>>): ArtifactResults {
  const entries = Object.entries(files).map(([name, value], index) => [
    name,
    { at: index * 60_000, value, error: null },
  ]);
  return { folder: '.workflow/scratch/a', problem: null, files: Object.fromEntries(entries) };
}

export const uatPassed = { complete: true, passed: true, results: [], gaps: [] };
