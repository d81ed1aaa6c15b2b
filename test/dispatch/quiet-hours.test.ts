// When quiet hours end: over midnight, in another zone, and where the clock is put on or back.
import { describe, expect, it } from 'vitest';
import type { QuietHours } from '../../src/config/index.js';
import { quietUntil } from '../../src/dispatch/people/quiet-hours.js';

function hours(from: string, to: string, zone = 'UTC'): QuietHours {
  const minute = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
  return { fromMinute: minute(from), toMinute: minute(to), zone, questionsRing: false };
}

const until = (quiet: QuietHours | null, at: string): string | null => {
  const end = quietUntil(quiet, Date.parse(at));
  return end === null ? null : new Date(end).toISOString().slice(0, 16);
};

describe('quiet hours', () => {
  const night = hours('22:00', '07:00');

  it.each([
    ['the minute before', night, '2026-05-01T21:59:59Z', null],
    ['their first minute', night, '2026-05-01T22:00:00Z', '2026-05-02T07:00'],
    ['before midnight', night, '2026-05-01T23:30:12Z', '2026-05-02T07:00'],
    ['after midnight', night, '2026-05-02T00:10:00Z', '2026-05-02T07:00'],
    ['their last minute', night, '2026-05-02T06:59:59Z', '2026-05-02T07:00'],
    ['their end', night, '2026-05-02T07:00:00Z', null],
    ['noon', hours('12:00', '13:15'), '2026-05-02T12:59:00Z', '2026-05-02T13:15'],
    ['all but a minute', hours('07:01', '07:00'), '2026-05-02T07:01:00Z', '2026-05-03T07:00'],
    ['no quiet at all', null, '2026-05-02T03:00:00Z', null],
  ])('apply from their first to their last minute: %s', (_what, quiet, at, end) => {
    expect(until(quiet, at)).toBe(end);
  });

  it.each([
    ['in winter', '2026-01-10T21:30:00Z', '2026-01-11T06:00'],
    ['in summer', '2026-07-10T20:30:00Z', '2026-07-11T05:00'],
    ['in the night that is an hour shorter', '2026-03-28T22:00:00Z', '2026-03-29T05:00'],
    ['in the night that is an hour longer', '2026-10-24T21:00:00Z', '2026-10-25T06:00'],
    ['by day', '2026-07-10T06:00:00Z', null],
  ])('follow the wall clock in Berlin %s', (_when, at, end) => {
    expect(until(hours('22:00', '07:00', 'Europe/Berlin'), at)).toBe(end);
  });

  it('end at the clock change if their end falls into the skipped hour', () => {
    expect(until(hours('22:00', '02:30', 'Europe/Berlin'), '2026-03-29T00:30:00Z')).toBe('2026-03-29T01:00');
  });

  it('end a day later if the clock change skips the only hour that is not quiet', () => {
    expect(until(hours('03:00', '02:00', 'Europe/Berlin'), '2026-03-28T12:00:00Z')).toBe('2026-03-30T00:00');
    expect(until(hours('03:07', '03:06', 'Europe/Berlin'), '2026-03-28T20:01:00Z')).toBe('2026-03-29T01:06');
  });

  it('work in time zones with half-hour offsets and half-hour clock changes', () => {
    expect(until(hours('22:00', '07:00', 'Asia/Kolkata'), '2026-07-10T16:30:00Z')).toBe('2026-07-11T01:30');
    expect(until(hours('22:00', '07:00', 'Australia/Lord_Howe'), '2026-10-03T12:00:00Z')).toBe('2026-10-03T20:00');
  });
});
