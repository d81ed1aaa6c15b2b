const hourMs = 3_600_000;
/** A day has 23 to 25 hours. */
const mostMs = 27 * hourMs;
const clocks = new Map<string | null, Intl.DateTimeFormat>();

/** `2026-03-29`; zone null: the machine's. */
export function dayOf(at: number, zone: string | null): string {
  if (zone === null) {
    const moment = new Date(at);
    return dateText(moment.getFullYear(), moment.getMonth() + 1, moment.getDate());
  }
  const clock = clocks.get(zone) ?? newClock(zone);
  clocks.set(zone, clock);
  const parts = clock.formatToParts(at);
  const numberOf = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return dateText(numberOf('year'), numberOf('month'), numberOf('day'));
}

export function daysBefore(day: string, days: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, date - days)).toISOString().slice(0, 10);
}

export function dayEnd(at: number, zone: string | null): number {
  const today = dayOf(at, zone);
  let [before, after] = [at, at + mostMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dayOf(middle, zone) === today) before = middle;
    else after = middle;
  }
  return after;
}

function dateText(year: number, month: number, date: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${year}-${two(month)}-${two(date)}`;
}

function newClock(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
}
