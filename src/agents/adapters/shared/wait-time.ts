// How long to wait, as messages of rate limits tell it.
const maxWaitMs = 7 * 24 * 3_600_000;
const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** null: the text does not say. */
export function waitIn(text: string, now: number): number | null {
  const span =
    /(?:try again in|retry (?:in|after)|retry-after:?|resets? in|wait)\s+((?:\d+(?:\.\d+)?\s*[a-z]*\s*)+)/i.exec(text);
  if (span?.[1] !== undefined) return bounded(spanMs(span[1]));
  // Seconds since 1970, behind a bar.
  const at = /limit reached\|(\d{10})\b/i.exec(text)?.[1];
  return at === undefined ? null : untilSeconds(Number(at), now);
}

/** Until a moment in seconds since 1970. */
export function untilSeconds(seconds: number, now: number): number | null {
  return bounded(seconds * 1000 - now);
}

function spanMs(text: string): number {
  let sum = 0;
  for (const [, count, word] of text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]*)/gi)) {
    sum += Number(count) * unitMs((word ?? '').toLowerCase());
  }
  return sum;
}

function unitMs(word: string): number {
  if (word === '' || word.startsWith('sec')) return 1000;
  if (word.startsWith('min')) return 60_000;
  if (word.startsWith('hour') || word.startsWith('hr')) return 3_600_000;
  if (word.startsWith('day')) return 86_400_000;
  return unitsMs[word] ?? 0;
}

function bounded(ms: number): number | null {
  return ms > 0 && Number.isFinite(ms) ? Math.min(Math.ceil(ms), maxWaitMs) : null;
}
