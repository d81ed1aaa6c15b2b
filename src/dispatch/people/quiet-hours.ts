// The hours in which nobody is reminded: by the wall clock of a place, whatever it does in spring and autumn.
import type { QuietHours } from '../../config/index.js';

const minuteMs = 60_000;
const dayMinutes = 24 * 60;
/** A clock is put on or back by less than this. */
const mostShiftMinutes = 3 * 60;
const stepMinutes = 15;

/** When the quiet that this moment lies in is over; null: it is not quiet. */
export function quietUntil(hours: QuietHours | null, at: number): number | null {
  if (hours === null || !isQuiet(hours, at)) return null;
  const now = wallMinute(hours.zone, at);
  const leftMinutes = (hours.toMinute - now + dayMinutes) % dayMinutes;
  const wholeMinute = Math.floor(at / minuteMs) * minuteMs;
  // All but the last hours at once, then in steps: the clock may be put on or back on the way.
  const near = wholeMinute + Math.max(0, leftMinutes - mostShiftMinutes) * minuteMs;
  for (let minutes = stepMinutes; minutes <= 2 * mostShiftMinutes + stepMinutes; minutes += stepMinutes) {
    const then = near + minutes * minuteMs;
    if (!isQuiet(hours, then)) return firstAfterQuiet(hours, then);
  }
  return firstMinuteAfter(hours, wholeMinute);
}

/** For waking hours that are shorter than a step, or that the clock leaves out on one day of the year. */
function firstMinuteAfter(hours: QuietHours, at: number): number {
  for (let minutes = 1; minutes < 2 * dayMinutes; minutes += 1) {
    if (!isQuiet(hours, at + minutes * minuteMs)) return at + minutes * minuteMs;
  }
  return at + 2 * dayMinutes * minuteMs;
}

/** Within the last step. */
function firstAfterQuiet(hours: QuietHours, at: number): number {
  let first = at;
  for (let minutes = 1; minutes < stepMinutes && !isQuiet(hours, at - minutes * minuteMs); minutes++) {
    first = at - minutes * minuteMs;
  }
  return first;
}

/** From the first minute to just before the last; over midnight where the last comes earlier. */
function isQuiet({ fromMinute, toMinute, zone }: QuietHours, at: number): boolean {
  const now = wallMinute(zone, at);
  return fromMinute <= toMinute ? now >= fromMinute && now < toMinute : now >= fromMinute || now < toMinute;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Minutes since midnight on the wall there. */
function wallMinute(zone: string, at: number): number {
  const clock = clocks.get(zone) ?? newClock(zone);
  clocks.set(zone, clock);
  const parts = clock.formatToParts(at);
  const numberOf = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return numberOf('hour') * 60 + numberOf('minute');
}

function newClock(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}
