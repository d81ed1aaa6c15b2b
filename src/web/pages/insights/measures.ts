// The measures of the runs that ended in a range, and in the period before it.
import type { Run } from '../../../engine/index.js';
import type { HomeReader } from '../../../store/index.js';
import { dayOf, type InsightsQuery, type Period, periodBefore } from './periods.js';
import { sampleOf, totalOf, type WorkSample } from './work-sample.js';

/** The values that the tiles compare. Null: not measured. */
export interface Measured {
  readonly well: number | null;
  readonly medianMs: number | null;
  readonly waiting: number | null;
  readonly usd: number | null;
}

interface Earlier {
  readonly newest: readonly Run[];
  /** There are no older runs than these. */
  readonly isAll: boolean;
  readonly periods: readonly Period[];
  readonly query: InsightsQuery;
}

/** Of the runs that are read anyway. Null: none ended then, or the newest ones do not reach back that far. */
export function measuredBefore(reader: HomeReader, { newest, isAll, periods, query }: Earlier): Measured | null {
  const period = periodBefore(query.range, periods);
  if (period === null) return null;
  const isReached = isAll || newest.some(({ endedAt }) => endedAt !== null && endedAt < period.from);
  const ended = newest.filter(({ endedAt }) => endedAt !== null && endedAt >= period.from && endedAt < period.to);
  if (!isReached || ended.length === 0) return null;
  const [slice] = slicesOf(reader, ended, { periods: [{ ...period, label: '' }], project: query.project || null });
  return measuredOf(ended, slice?.usd ?? 0, sampleOf(reader, ended, period.to).all);
}

export function measuredOf(ended: readonly Run[], usd: number, all: WorkSample['all']): Measured {
  const done = ended.filter(({ status }) => status === 'completed');
  const total = totalOf(all);
  return {
    well: ended.length === 0 ? null : done.length / ended.length,
    medianMs: quantileOf(done.map(durationOfRun), 0.5),
    waiting: total === 0 ? null : all.waitMs / total,
    usd: usd === 0 ? null : usd,
  };
}

export interface Slice extends Period {
  readonly done: number;
  readonly notDone: number;
  readonly medianMs: number | null;
  readonly usd: number;
}

interface Sliced {
  readonly periods: readonly Period[];
  /** Null: all. */
  readonly project: string | null;
}

const maxDays = 1_000;

export function durationOfRun({ startedAt, endedAt }: Run): number {
  return Math.max(0, (endedAt ?? 0) - (startedAt ?? 0));
}

export function quantileOf(values: readonly number[], part: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null;
}

export function slicesOf(
  { browsing }: HomeReader,
  ended: readonly Run[],
  { periods, project }: Sliced,
): readonly Slice[] {
  const [first] = periods;
  const from = dayOf(first?.from ?? 0);
  const spent =
    project === null ? browsing.spentOnDays(from) : browsing.spentByDay({ project, from, after: null, limit: maxDays });
  return periods.map((period, index) => {
    // A border moment belongs to the earlier period.
    const isIn = (at: number) => (index === 0 ? at >= period.from : at > period.from) && at <= period.to;
    const own = ended.filter(({ endedAt }) => isIn(endedAt ?? 0));
    const done = own.filter(({ status }) => status === 'completed');
    const [before, last] = [dayOf(period.from), dayOf(period.to)];
    const days = spent.filter(({ day }) => day > before && day <= last);
    return {
      ...period,
      done: done.length,
      notDone: own.length - done.length,
      medianMs: quantileOf(done.map(durationOfRun), 0.5),
      usd: days.reduce((sum, day) => sum + day.usd, 0),
    };
  });
}

export function shareOf(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`;
}
