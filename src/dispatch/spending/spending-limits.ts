import { type Config, projectWithName } from '../../config/index.js';
import {
  areLimitsCurrent,
  type Bill,
  type Configured,
  type Event,
  isRunOver,
  knowsBases,
  owed,
  type Run,
  type Spending,
  type State,
  type Workflow,
} from '../../engine/index.js';
import { type AttemptSpending, dayEnd, type SpendingReader } from '../../store/index.js';

/** Null: not in config.yaml. */
export type LimitsOf = (project: string) => ProjectLimits | null;

export interface ProjectLimits extends Configured {
  /** Null: the machine's. */
  readonly zone: string | null;
}

export function configuredLimits(config: Config, name: string): ProjectLimits | null {
  return projectWithName(config, name)?.budget ?? null;
}

/** Null: no limit. `unwritten`: spending not stored yet. */
export function spendingOf(
  store: SpendingReader,
  name: string,
  { dayUsd, projectUsd, zone }: ProjectLimits,
  at: number,
  unwritten: readonly AttemptSpending[] = [],
): Spending | null {
  if (dayUsd === null && projectUsd === null) return null;
  const { today, ever } = store.spending(name, at, zone);
  const more = unwritten.filter(({ project }) => project === name).reduce((sum, { usd }) => sum + usd, 0);
  return {
    dayUsd: today.usd + more,
    dayEndsAt: dayEnd(at, zone),
    dayLimitUsd: dayUsd,
    projectUsd: ever.usd + more,
    projectLimitUsd: projectUsd,
  };
}

/** For events that may start a run. */
export function withSpending(event: Event, run: Run | null, find: (project: string) => Spending | null): Event {
  const project = event.type === 'run_created' ? event.project : run?.status === 'draft' ? run.project : null;
  if (project === null || !mayBegin(event)) return event;
  const purse = find(project);
  return purse === null ? event : { ...event, purse };
}

type Beginning = Extract<Event, { readonly type: 'run_created' | 'start' | 'continue' | 'answered' }>;

function mayBegin(event: Event): event is Beginning {
  const { type } = event;
  return type === 'run_created' || type === 'start' || type === 'continue' || type === 'answered';
}

/** True if limits were edited, a day ended, or a person changes one. */
export function mustReadLimits(event: Event, run: Run, workflow: Workflow, limits: Configured): boolean {
  if (isRunOver(run.status) || event.type === 'limits_read') return false;
  const runUsd = limits.runUsd ?? workflow.limits.costUsd;
  return !areLimitsCurrent(run, { ...limits, runUsd }, event.at) || (event.type === 'budget' && !knowsBases(run));
}

export function paidBy(
  event: Event,
  before: State | null,
  { project }: Run,
  zone: string | null,
): readonly AttemptSpending[] {
  const told = billOf(event, before);
  if (told === null) return [];
  const { costUsd, tokensIn, tokensOut } = told;
  if (costUsd === null && tokensIn === null && tokensOut === null) return [];
  const late = event.type === 'paid_late' ? { late: { attempt: event.attempt, costUsd } } : {};
  return [
    { project, at: event.at, zone, usd: costUsd ?? 0, tokensIn: tokensIn ?? 0, tokensOut: tokensOut ?? 0, ...late },
  ];
}

function billOf(event: Event, before: State | null): Bill | null {
  if (event.type === 'attempt_settled') {
    const settled = before?.chain.nodes.find(({ last }) => last?.id === event.attempt)?.last ?? null;
    return settled === null ? event.envelope : owed(settled, event.envelope);
  }
  if (event.type === 'reported') return event.envelope;
  return event.type === 'paid_late' ? event : null;
}
