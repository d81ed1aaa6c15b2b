// The money of a run: what it spent, and what it and its project may spend. Sums of the day begin anew when it is over.
import type { Purse, Run } from './model.js';

export interface Limit {
  readonly scope: 'run' | 'day' | 'project';
  readonly limitUsd: number;
  readonly spentUsd: number;
  /** What was allowed to begin with: "more" is as much again. */
  readonly baseUsd: number;
}

/** What is limited, with what is spent of it at this moment. */
export function limitsOf({ budgetUsd, budgetBaseUsd, costUsd, purse }: Run, at: number): readonly Limit[] {
  const day = purse && today(purse, at);
  return [
    ...limit('run', budgetUsd, costUsd, budgetBaseUsd),
    ...limit('day', day?.dayLimitUsd ?? null, day?.dayUsd ?? 0, day?.dayBaseUsd),
    ...limit('project', purse?.projectLimitUsd ?? null, purse?.projectUsd ?? 0, purse?.projectBaseUsd),
  ];
}

function limit(
  scope: Limit['scope'],
  limitUsd: number | null,
  spentUsd: number,
  baseUsd: number | null | undefined,
): readonly Limit[] {
  return limitUsd === null ? [] : [{ scope, limitUsd, spentUsd, baseUsd: baseUsd ?? limitUsd }];
}

/** The first limit that is reached. */
export function spentLimit(run: Run, at: number): Limit | null {
  return limitsOf(run, at).find(({ limitUsd, spentUsd }) => spentUsd >= limitUsd) ?? null;
}

export function paidFrom(purse: Purse, costUsd: number, at: number): Purse {
  const now = today(purse, at);
  return { ...now, dayUsd: now.dayUsd + costUsd, projectUsd: now.projectUsd + costUsd };
}

/** As much again; where nothing was allowed, a dollar. */
export function moreUsd(limitUsd: number): number {
  return limitUsd > 0 ? limitUsd : 1;
}

export function raised(run: Run, { scope, baseUsd, spentUsd }: Limit, at: number): Partial<Run> {
  const to = spentUsd + moreUsd(baseUsd);
  if (scope === 'run' || run.purse === null) return { budgetUsd: to, budgetBaseUsd: baseUsd };
  const purse = today(run.purse, at);
  const limit =
    scope === 'day' ? { dayLimitUsd: to, dayBaseUsd: baseUsd } : { projectLimitUsd: to, projectBaseUsd: baseUsd };
  return { purse: { ...purse, ...limit } };
}

/** What a person adds to goes to the limit that is reached; where none is, to the run's own. */
export function moved(
  run: Run,
  addUsd: number,
  at: number,
): Pick<Limit, 'scope' | 'limitUsd'> & { readonly change: Partial<Run> } {
  const spent = spentLimit(run, at);
  const purse = run.purse && today(run.purse, at);
  if (spent === null || spent.scope === 'run' || purse === null) {
    const limitUsd = Math.max(0, (run.budgetUsd ?? run.costUsd) + addUsd);
    return { scope: 'run', limitUsd, change: { budgetUsd: limitUsd } };
  }
  const limitUsd = Math.max(0, spent.limitUsd + addUsd);
  const limit = spent.scope === 'day' ? { dayLimitUsd: limitUsd } : { projectLimitUsd: limitUsd };
  return { scope: spent.scope, limitUsd, change: { purse: { ...purse, ...limit } } };
}

const dayMs = 24 * 3_600_000;

function today(purse: Purse, at: number): Purse {
  if (at < purse.dayEndsAt) return purse;
  const days = Math.floor((at - purse.dayEndsAt) / dayMs) + 1;
  return { ...purse, dayUsd: 0, dayEndsAt: purse.dayEndsAt + days * dayMs };
}
