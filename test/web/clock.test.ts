// One formatter for each zone and form of time: making one costs as much as a hundred uses.
import { expect, it, onTestFinished, vi } from 'vitest';
import { clockOf, dayOf, stampOf } from '../../src/web/pages/shared/text.js';

const at = Date.UTC(2026, 10, 20, 18, 40, 5);
const hour = 3_600_000;

function countingFormatters() {
  const Real = Intl.DateTimeFormat;
  const made = vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(function make(locale, options) {
    return new Real(locale, options);
  });
  onTestFinished(() => made.mockRestore());
  return () => made.mock.calls.length;
}

it('makes one formatter for many times of one zone', () => {
  const made = countingFormatters();
  for (let n = 0; n < 500; n += 1) {
    clockOf(at + n * hour, 'Pacific/Chatham');
    stampOf(at + n * hour, 'Pacific/Chatham');
  }
  expect(made()).toBe(2);
});

it('tells the same times for any number of zones, and for the machine', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  for (const timeZone of [...zones, ...zones]) {
    const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone });
    expect([timeZone, clockOf(at, timeZone)]).toEqual([timeZone, clock.format(at)]);
  }
  expect(stampOf(at)).toBe(new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' }).format(at));
  expect(clockOf(at, null)).toBe(clockOf(at));
  expect([stampOf(Number.NaN), stampOf(9e15)]).toEqual(['?', '?']);
});

it('names days in the zone, and the year of another one', () => {
  expect(dayOf(at, at + 6 * hour, 'Asia/Tokyo')).toBe('Today');
  expect(dayOf(at, at + 6 * hour, 'UTC')).toBe('Yesterday');
  expect(dayOf(at - 72 * hour, at, 'UTC')).toBe('Tuesday 17 November');
  expect(dayOf(at - 400 * 24 * hour, at, 'UTC')).toMatch(/^Thursday,? 16 October 2025$/);
});
