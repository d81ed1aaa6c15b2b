import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inZone, markedTime, replaceTimes, wordTimes } from '../../src/base/shown-times.js';

const noon = new Date(2026, 10, 20, 12, 40).getTime();
const later = noon + 10 * 60_000;

describe('a time in a text under construction', () => {
  it('becomes words, and its moment stands beside the text', () => {
    const text = `by Ada, ${markedTime(noon, false)}; waits until ${markedTime(later, true)}.`;
    expect(wordTimes(text)).toEqual({
      text: 'by Ada, 12:40; waits until Fri 20 Nov, 12:50.',
      times: [
        { text: '12:40', at: noon, hasDate: false },
        { text: 'Fri 20 Nov, 12:50', at: later, hasDate: true },
      ],
    });
  });

  it('leaves nothing of itself where a limit cut it', () => {
    const whole = `until ${markedTime(noon, false)}`;
    const cuts = Array.from({ length: whole.length + 1 }, (_, end) => wordTimes(whole.slice(0, end)).text);
    for (const cut of cuts) expect('until 12:40').toContain(cut);
  });

  it('is found again in a text that was worded before and got more words', () => {
    const first = wordTimes(`by Ada, ${markedTime(noon, false)}`);
    const more = wordTimes(`at ${markedTime(later, false)}: ${first.text}`, first.times);
    expect(more).toMatchObject({ text: 'at 12:50: by Ada, 12:40', times: [{ at: later }, { at: noon }] });
  });

  it('is no part of a longer number, and is left out where the text lost it', () => {
    const times = [{ text: '12:40', at: noon, hasDate: false }];
    expect(wordTimes('112:40, 12:405, 12:40', times).times).toEqual(times);
    expect(wordTimes('112:40', times).times).toEqual([]);
  });

  it('changes no other text', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => wordTimes(text).text === text));
  });
});

it('a time that no reader words for themselves is replaced by other words', () => {
  const text = `until ${markedTime(noon, false)}, ${markedTime(later, true)} ${markedTime(later, true).slice(0, 5)}`;
  expect(replaceTimes(text, (at, hasDate) => `${(at - noon) / 60_000} ${hasDate}`)).toBe('until 0 false, 10 true ');
});

it('a text shows its times in the zone of its reader', () => {
  const at = Date.UTC(2026, 10, 20, 23, 30);
  const { text, times } = wordTimes(`by Ada, ${markedTime(at, false)}, until ${markedTime(at, true)}: “23:30”`);
  expect(inZone(text, times, 'Asia/Tokyo')).toBe('by Ada, 08:30, until Sat 21 Nov, 08:30: “23:30”');
  expect(inZone(text, [], 'Asia/Tokyo')).toBe(text);
});
