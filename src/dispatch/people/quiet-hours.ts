// Quiet hours follow a zone's wall clock across daylight saving.
import type { QuietHours } from '../../config/index.js';

const minuteMs = 60_000;
const dayMinutes = 24 * 60;
const mostShiftMinutes = 3 * 60;
const stepMinutes = 15;

/** Null: not in quiet hours. */
export function quietUntil(hours: QuietHours | null, at: number): number | null {
  if (hours === null || !isQuiet(hours, at)) return null;
  const now = wallMinute(hours.zone, at);
  const leftMinutes = (hours.toMinute - now + dayMinutes) % dayMinutes;
  const wholeMinute = Math.floor(at / minuteMs) * minuteMs;
  // Jumps close to the end, then steps: the clock may shift.
  const near = wholeMinute + Math.max(0, leftMinutes - mostShiftMinutes) * minuteMs;
  for (let minutes = stepMinutes; minutes <= 2 * mostShiftMinutes + stepMinutes; minutes += stepMinutes) {
    const then = near + minutes * minuteMs;
    if (!isQuiet(hours, then)) return firstAfterQuiet(hours, then);
  }
  return firstMinuteAfter(hours, wholeMinute);
}

/** For waking hours shorter than a step, or quiet hours that a clock change skips. */
function firstMinuteAfter(hours: QuietHours, at: number): number {
  for (let minutes = 1; minutes < 2 * dayMinutes; minutes += 1) {
    if (!isQuiet(hours, at + minutes * minuteMs)) return at + minutes * minuteMs;
  }
  return at + 2 * dayMinutes * minuteMs;
}

function firstAfterQuiet(hours: QuietHours, at: number): number {
  let first = at;
  for (let minutes = 1; minutes < stepMinutes && !isQuiet(hours, at - minutes * minuteMs); minutes++) {
    first = at - minutes * minuteMs;
  }
  return first;
}

/** Excludes the last minute; may wrap over midnight. */
function isQuiet({ fromMinute, toMinute, zone }: QuietHours, at: number): boolean {
  const now = wallMinute(zone, at);
  return fromMinute <= toMinute ? now >= fromMinute && now < toMinute : now >= fromMinute || now < toMinute;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

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
