// A time inside a text under construction is a mark: the finished message words it and keeps the moment beside the text,
// so that each platform can show it in its reader's zone.

export interface ShownTime {
  /** As the text has it, in this machine's zone. */
  readonly text: string;
  readonly at: number;
  readonly hasDate: boolean;
}

/** Unicode keeps this code point for a program's own use: no outside text has it. */
const mark = '\ufdd1';
const kinds = { clock: 't', date: 'd' } as const;
const digits = 7;
const marks = new RegExp(`${mark}([td])([0-9a-z]{${digits}})`, 'gu');
const cutMarks = new RegExp(`${mark}(?![td][0-9a-z]{${digits}})[td]?[0-9a-z]{0,${digits - 1}}`, 'gu');

export function markedTime(at: number, hasDate: boolean): string {
  const seconds = Math.max(0, Math.floor(at / 1000));
  return `${mark}${hasDate ? kinds.date : kinds.clock}${seconds.toString(36).padStart(digits, '0')}`;
}

/** `before`: times that an earlier wording found, in the order of the text. */
export function wordTimes(text: string, before: readonly ShownTime[] = []) {
  const found: { readonly index: number; readonly time: ShownTime }[] = [];
  let shift = 0;
  const worded = replaceTimes(text, (at, hasDate, { index, length }) => {
    const time = { text: clockText(at, hasDate), at, hasDate };
    found.push({ index: index + shift, time });
    shift += time.text.length - length;
    return time.text;
  });
  const kept = timesIn(worded, before).filter(({ index }) => found.every((one) => one.index !== index));
  return { text: worded, times: [...found, ...kept].sort((a, b) => a.index - b.index).map(({ time }) => time) };
}

type Place = { readonly index: number; readonly length: number };

export function replaceTimes(text: string, wordsOf: (at: number, hasDate: boolean, place: Place) => string): string {
  // A mark that a limit cut is removed first, because it shifts the others.
  return text.replace(cutMarks, '').replace(marks, (whole, kind: string, written: string, index: number) => {
    const place = { index, length: whole.length };
    return wordsOf(Number.parseInt(written, 36) * 1000, kind === kinds.date, place);
  });
}

/** Finds the times one after the other, but not within a longer number. */
export function timesIn(text: string, times: readonly ShownTime[]) {
  let from = 0;
  return times.flatMap((time) => {
    const index = indexOfTime(text, time.text, from);
    if (index < 0) return [];
    from = index + time.text.length;
    return [{ index, time }];
  });
}

/** The same text with its times in another zone. */
export function inZone(text: string, times: readonly ShownTime[], zone: string): string {
  let from = 0;
  const parts = timesIn(text, times).map(({ index, time }) => {
    const before = text.slice(from, index);
    from = index + time.text.length;
    return `${before}${clockText(time.at, time.hasDate, zone)}`;
  });
  return [...parts, text.slice(from)].join('');
}

function indexOfTime(text: string, time: string, from: number): number {
  const index = text.indexOf(time, from);
  if (index < 0) return -1;
  const isPart = isDigit(text[index - 1]) || isDigit(text[index + time.length]);
  return isPart ? indexOfTime(text, time, index + 1) : index;
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= '0' && char <= '9';
}

/** `12:40`, or `Fri 20 Nov, 12:40`. Without a zone: this machine's. */
function clockText(at: number, hasDate: boolean, zone?: string): string {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  const clock =
    zone === undefined
      ? `${two(date.getHours())}:${two(date.getMinutes())}`
      : date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone });
  if (!hasDate) return clock;
  const day = date.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: zone });
  return `${day}, ${clock}`;
}
