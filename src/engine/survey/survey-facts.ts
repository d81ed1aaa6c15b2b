// A result older than the stage before does not count. Only its acceptance tests end a phase.
import { coded } from '../text/result-codes.js';
import type { Facts } from '../workflow/expressions/expression.js';
import {
  type Artifact,
  type ArtifactResults,
  artifactsOf,
  currentMilestone,
  findMilestone,
  isCompleted,
  isInProgress,
  isOpen,
  latestCompleted,
  latestOf,
  type Milestone,
  type ProjectState,
  phasesOf,
  readPhase,
  type Survey,
} from './survey.js';

/** Overrides files; '' is absent. */
interface At {
  readonly task: string;
  readonly phase: string | null;
  readonly milestone: string | null;
}

interface SurveyedRun {
  readonly task: string;
  readonly context: Readonly<Record<string, string>>;
}

export function surveyFactsFor({ task, context }: SurveyedRun, survey: Survey): Facts {
  const { phase, milestone } = context;
  return surveyFacts(survey, { task, phase: phase || null, milestone: milestone || null });
}

/** With a problem there is no phase, so no rule about one matches. */
export function surveyFacts(survey: Survey, at: At): Facts {
  const state = survey.state ?? emptyState;
  const milestone = milestoneAt(state, at);
  const walk = milestone === null ? nothingToWalk : walkOf(survey, state, milestone, at);
  const problem = problemOf(survey, state, milestone, walk, at);
  const isClear = problem === null && milestone !== null && walk.phase !== null;
  const latest = isClear ? latestCompleted(state, milestone, walk.phase) : null;
  const next = nextMilestone(state, milestone, at);
  return {
    has_folder: survey.hasFolder,
    has_sources: survey.hasSources,
    has_state: survey.state !== null || survey.problem !== null,
    has_roadmap: survey.hasRoadmap,
    milestones: survey.problem === null ? state.milestones.length : null,
    milestone: milestone?.name ?? (at.milestone || null),
    phase: problem === null ? walk.phase : null,
    phases: walk.phases,
    latest: latest?.type ?? null,
    ...freshResults(resultsAfter(survey, latest)),
    next_milestone: next?.name ?? null,
    next_phase: next?.phases[0] ?? null,
    problem,
  };
}

const emptyState: ProjectState = { current: null, milestones: [], artifacts: [], raw: '' };

function milestoneAt(state: ProjectState, at: At): Milestone | null {
  return at.milestone ? findMilestone(state, at.milestone) : currentMilestone(state);
}

interface Walk {
  readonly phase: string | null;
  readonly phases: readonly string[];
  readonly unknown: string | null;
}

const nothingToWalk: Walk = { phase: null, phases: [], unknown: null };

function walkOf(survey: Survey, state: ProjectState, milestone: Milestone, at: At): Walk {
  const all = phasesOf(state, milestone);
  const open = all.filter((phase) => !isPhaseOver(survey, state, milestone, phase));
  const requested = requestedPhase(at);
  const isKnown = requested !== null && (all.includes(requested) || all.length === 0);
  const wished = isKnown ? requested : phaseInProgress(state, milestone, all);
  const phase = isKnown && all.length === 0 ? requested : stillOpen(wished, all, open);
  // After the next milestone the starting phase is stale.
  const unknown = isKnown || at.milestone ? null : requested;
  const isOver = phase !== null && all.length > 0 && !open.includes(phase);
  const rest = open.filter((other) => other !== phase);
  return { phase, phases: phase === null || isOver ? rest : [phase, ...rest], unknown };
}

function requestedPhase(at: At): string | null {
  return readPhase(at.phase) ?? readPhase(/\bphase[\s#:_-]{0,5}(\d{1,6}(?:\.\d{1,6})?)\b/i.exec(at.task)?.[1]);
}

function phaseInProgress(state: ProjectState, milestone: Milestone, all: readonly string[]): string | null {
  const begun = all.flatMap((phase) => artifactsOf(state, milestone, phase).filter(isInProgress));
  return latestOf(begun)?.phase ?? null;
}

/** The audit comes last: first an open phase after the wished one, then one before it. */
function stillOpen(wished: string | null, all: readonly string[], open: readonly string[]): string | null {
  if (wished === null) return open[0] ?? all.at(-1) ?? null;
  if (open.includes(wished)) return wished;
  const after = all.slice(all.indexOf(wished)).find((phase) => open.includes(phase));
  return after ?? open[0] ?? wished;
}

function isPhaseOver(survey: Survey, state: ProjectState, milestone: Milestone, phase: string): boolean {
  if (milestone.donePhases.includes(phase)) return true;
  const latest = latestCompleted(state, milestone, phase);
  const { uat, tests } = freshResults(resultsAfter(survey, latest));
  return uat?.['complete'] === true && uat['passed'] === true && tests?.['passed'] !== false;
}

/** Only a verification's results count. */
function resultsAfter(survey: Survey, latest: Artifact | null): ArtifactResults | undefined {
  return latest?.type === 'verify' ? survey.results[latest.key] : undefined;
}

type Result = Readonly<Record<string, unknown>>;

interface Results {
  readonly verification: Result | null;
  readonly business: Result | null;
  readonly review: Result | null;
  readonly uat: Result | null;
  readonly tests: Result | null;
}

// A copy writes files at once, in any order.
const sameMomentMs = 5_000;

/** In stage order, without results older than the stage before. */
function freshResults(results: ArtifactResults | undefined): Results {
  let newest = Number.NEGATIVE_INFINITY;
  const take = (name: string, key: string | null): Result | null => {
    const file = results?.files[name];
    if (file === undefined || file.at + sameMomentMs < newest) return null;
    const { value } = file;
    if (!isResult(value) || (key !== null && typeof value[key] !== 'string')) return null;
    newest = Math.max(newest, file.at);
    return value;
  };
  const verification = take('verification.json', null);
  const business = take('business-test-results.json', null);
  const review = take('review.json', 'verdict');
  const reviewed = newest;
  const uat = take('uat.md', null);
  newest = reviewed;
  return { verification, business, review, uat, tests: take('.tests/test-results.json', null) };
}

function isResult(value: unknown): value is Result {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Never an earlier one, or the run would loop. */
function nextMilestone(state: ProjectState, milestone: Milestone | null, at: At): Milestone | null {
  const after = milestone === null ? 0 : state.milestones.indexOf(milestone) + 1;
  return (
    state.milestones.slice(after).find((it) => isOpen(it) && it.name !== (milestone?.name ?? at.milestone)) ?? null
  );
}

function problemOf(
  survey: Survey,
  state: ProjectState,
  milestone: Milestone | null,
  { phase, unknown }: Walk,
  at: At,
): string | null {
  if (survey.problem !== null) return coded('E002', survey.problem);
  // Without milestones or a roadmap the project needs setup first.
  if (state.milestones.length === 0 || !survey.hasRoadmap) return null;
  const names = state.milestones.map((it) => it.name).join(', ');
  if (milestone === null) {
    const named = at.milestone || state.current;
    return tell(state, named === null ? `no milestone is open (${names})` : `no milestone "${named}" (${names})`);
  }
  if (!at.milestone && isCompleted(milestone.status))
    return tell(state, `${milestone.name} is completed and no milestone after it is open (${names})`);
  const phases = phasesOf(state, milestone).join(', ');
  if (unknown !== null) return tell(state, `milestone ${milestone.name} has no phase ${unknown} (${phases})`);
  if (phase === null) return tell(state, `milestone ${milestone.name} names no phase`);
  const latest = latestCompleted(state, milestone, phase);
  const missing = resultsAfter(survey, latest)?.problem;
  return missing && !isCompleted(milestone.status) ? coded('E003', missing) : null;
}

function tell(state: ProjectState, what: string): string {
  return coded('E002', `${what}. The state file says: ${state.raw}`);
}
