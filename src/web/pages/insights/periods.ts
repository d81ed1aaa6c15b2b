export const rangeNames = ['week', 'month', 'all'] as const;
export type RangeName = (typeof rangeNames)[number];

export interface Period {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

const dayMs = 24 * 3_600_000;
const mostPeriods = 12;

export const rangeLabels: Readonly<Record<RangeName, string>> = { week: 'Week', month: '4 weeks', all: 'All' };

export interface InsightsQuery {
  readonly range: RangeName;
  /** '': all. */
  readonly project: string;
}

export function insightsPath({ range, project }: InsightsQuery): string {
  const set = new URLSearchParams();
  if (range !== 'month') set.set('range', range);
  if (project !== '') set.set('project', project);
  return set.size === 0 ? '/insights' : `/insights?${set}`;
}

/** As long as the range and right before it; null: all time has none. */
export function periodBefore(
  range: RangeName,
  [first, ...rest]: readonly Period[],
): Pick<Period, 'from' | 'to'> | null {
  if (range === 'all' || first === undefined) return null;
  const to = first.from;
  return { from: to - ((rest.at(-1) ?? first).to - to), to };
}

/** Oldest first. `all`: back to `oldest`, in whole days. */
export function periodsOf(range: RangeName, oldest: number, now: number): readonly Period[] {
  switch (range) {
    case 'week':
      return slices(7, dayMs, now);
    case 'month':
      return slices(4, 7 * dayMs, now);
    case 'all': {
      const days = Math.max(1, Math.ceil((now - oldest) / dayMs));
      const perPeriod = Math.ceil(days / mostPeriods);
      return slices(Math.ceil(days / perPeriod), perPeriod * dayMs, now);
    }
  }
}

function slices(count: number, lengthMs: number, now: number): readonly Period[] {
  return Array.from({ length: count }, (_, index) => {
    const to = now - (count - 1 - index) * lengthMs;
    return { from: to - lengthMs, to, label: dayLabel.format(to) };
  });
}

/** `20 Nov`; in UTC, as costs are summed by UTC days. */
const dayLabel = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
