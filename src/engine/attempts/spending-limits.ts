import { supersede } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { Run, Spending } from '../model/model.js';

export interface SpendingLimit {
  readonly scope: 'run' | 'day' | 'project';
  readonly limitUsd: number;
  readonly spentUsd: number;
  /** "more" raises the limit by this. */
  readonly baseUsd: number;
}

export function limitsOf({ budgetUsd, budgetBaseUsd, costUsd, purse }: Run, at: number): readonly SpendingLimit[] {
  const day = purse && today(purse, at);
  return [
    ...limit('run', budgetUsd, costUsd, budgetBaseUsd),
    ...limit('day', day?.dayLimitUsd ?? null, day?.dayUsd ?? 0, day?.dayBaseUsd),
    ...limit('project', purse?.projectLimitUsd ?? null, purse?.projectUsd ?? 0, purse?.projectBaseUsd),
  ];
}

function limit(
  scope: SpendingLimit['scope'],
  limitUsd: number | null,
  spentUsd: number,
  baseUsd: number | null | undefined,
): readonly SpendingLimit[] {
  return limitUsd === null ? [] : [{ scope, limitUsd, spentUsd, baseUsd: baseUsd ?? limitUsd }];
}

export function spentLimit(run: Run, at: number): SpendingLimit | null {
  return limitsOf(run, at).find(({ limitUsd, spentUsd }) => spentUsd >= limitUsd) ?? null;
}

/** From config.yaml; null: none. */
export interface Configured {
  readonly runUsd: number | null;
  readonly dayUsd: number | null;
  readonly projectUsd: number | null;
}

/** True: already in use, and the day has not ended. `runUsd` includes the workflow's limit. */
export function areLimitsCurrent(run: Run, { runUsd, dayUsd, projectUsd }: Configured, at: number): boolean {
  const { purse } = run;
  return (
    runBase(run) === runUsd &&
    (purse?.dayBaseUsd ?? purse?.dayLimitUsd ?? null) === dayUsd &&
    (purse?.projectBaseUsd ?? purse?.projectLimitUsd ?? null) === projectUsd &&
    (purse === null || at < purse.dayEndsAt)
  );
}

export function knowsBases({ budgetUsd, budgetBaseUsd, purse }: Run): boolean {
  const knows = (limitUsd: number | null, baseUsd: number | null | undefined) => limitUsd === null || baseUsd != null;
  const knowsPurse =
    purse === null ||
    (knows(purse.dayLimitUsd, purse.dayBaseUsd) && knows(purse.projectLimitUsd, purse.projectBaseUsd));
  return knows(budgetUsd, budgetBaseUsd) && knowsPurse;
}

function runBase({ budgetUsd, budgetBaseUsd }: Run): number | null {
  return budgetBaseUsd === undefined ? budgetUsd : budgetBaseUsd;
}

/** A person's additions carry over, the day's only for that day. A limit removed from config.yaml is lifted. */
function relimited(
  run: Run,
  { runUsd, purse }: { readonly runUsd: number | null; readonly purse: Spending | null },
  at: number,
): Pick<Run, 'budgetUsd' | 'budgetBaseUsd' | 'purse'> {
  return {
    budgetUsd: withAdded(runUsd, run.budgetUsd, run.budgetBaseUsd),
    budgetBaseUsd: runUsd,
    purse: purse && repursed(run.purse, purse, at),
  };
}

function repursed(old: Spending | null, read: Spending, at: number): Spending {
  const isSameDay = old !== null && at < old.dayEndsAt;
  const { dayLimitUsd: dayUsd, projectLimitUsd: projectUsd } = read;
  return {
    ...read,
    dayLimitUsd: isSameDay ? withAdded(dayUsd, old.dayLimitUsd, old.dayBaseUsd) : dayUsd,
    projectLimitUsd: withAdded(projectUsd, old?.projectLimitUsd ?? null, old?.projectBaseUsd),
    ...(dayUsd !== null && { dayBaseUsd: dayUsd }),
    ...(projectUsd !== null && { projectBaseUsd: projectUsd }),
  };
}

function withAdded(toUsd: number | null, limitUsd: number | null, baseUsd: number | null | undefined): number | null {
  return toUsd === null ? null : Math.max(0, toUsd + (limitUsd ?? 0) - (limitUsd === null ? 0 : (baseUsd ?? limitUsd)));
}

export function paidFrom(purse: Spending, costUsd: number, at: number): Spending {
  const now = today(purse, at);
  return { ...now, dayUsd: now.dayUsd + costUsd, projectUsd: now.projectUsd + costUsd };
}

/** A zero limit becomes a dollar. */
export function moreUsd(limitUsd: number): number {
  return limitUsd > 0 ? limitUsd : 1;
}

export function raised(run: Run, { scope, baseUsd, spentUsd }: SpendingLimit, at: number): Partial<Run> {
  const to = spentUsd + moreUsd(baseUsd);
  if (scope === 'run' || run.purse === null) return { budgetUsd: to, budgetBaseUsd: baseUsd };
  const purse = today(run.purse, at);
  const limit =
    scope === 'day' ? { dayLimitUsd: to, dayBaseUsd: baseUsd } : { projectLimitUsd: to, projectBaseUsd: baseUsd };
  return { purse: { ...purse, ...limit } };
}

/** Raises the reached limit, else the run's own. */
export function moved(
  run: Run,
  addUsd: number,
  at: number,
): Pick<SpendingLimit, 'scope' | 'limitUsd'> & { readonly change: Partial<Run> } {
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

function today(purse: Spending, at: number): Spending {
  if (at < purse.dayEndsAt) return purse;
  const days = Math.floor((at - purse.dayEndsAt) / dayMs) + 1;
  return { ...purse, dayUsd: 0, dayEndsAt: purse.dayEndsAt + days * dayMs };
}

export function isStoppedByLimit(run: Run, at: number): boolean {
  return run.counters.dispatches >= run.dispatchLimit || spentLimit(run, at) !== null;
}

export function liftStop(tx: DecisionDraft): void {
  if (!isStoppedByLimit(tx.run, tx.at)) supersede(tx, (one) => one.subject.type === 'fuse');
}

export function readLimits(
  tx: DecisionDraft,
  read: { readonly runUsd: number | null; readonly purse: Spending | null },
): void {
  tx.setRun(relimited(tx.run, { ...read, runUsd: read.runUsd ?? tx.workflow.limits.costUsd }, tx.at));
  liftStop(tx);
}
