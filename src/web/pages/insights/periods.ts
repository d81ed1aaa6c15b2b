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
export const rangePaths: Readonly<Record<RangeName, string>> = {
  week: '/insights?range=week',
  month: '/insights',
  all: '/insights?range=all',
};

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
