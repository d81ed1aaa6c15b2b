const maxTextChars = 2_000;
const maxLineChars = 160;

// These move the cursor, hide or reverse text. Joiners stay: scripts and emoji need them.
const unseen =
  /(?!\n|\t|\u200c|\u200d|[\u{e0020}-\u{e007f}])[\p{Cc}\p{Cf}\p{Cs}\p{Co}]|\u2028|\u2029|\u115f|\u1160|\u3164|\uffa0/gu;
const ansi = new RegExp(
  `${String.fromCharCode(27)}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^${String.fromCharCode(27)}\\n]{0,2000}?(?:\\u0007|${String.fromCharCode(27)}\\\\))`,
  'g',
);

/** Cuts first, so that discarded text costs nothing. */
export function shortened(text: string, maxChars = maxTextChars): string {
  const shown = inert(text.slice(0, maxChars * 2));
  return shown.length > maxChars || text.length > maxChars * 2 ? `${shown.slice(0, maxChars)} …` : shown;
}

export function inert(text: string): string {
  return text.replace(ansi, '').replace(unseen, '');
}

export function lineOf(text: string, maxChars = maxLineChars): string {
  const line = inert(text.slice(0, 4_000)).trim().split('\n')[0]?.replace(/\s+/g, ' ').trim() ?? '';
  const letters = [...line];
  return letters.length > maxChars ? `${letters.slice(0, maxChars - 1).join('')}…` : line;
}

export function durationOf(ms: number): string {
  return ms > 0 && ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : spanOf(ms);
}

/** Whole seconds, for growing spans. */
export function spanOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

export function agoOf(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / 1440)} days ago`;
}

export function moneyOf(usd: number): string {
  return usd > 0 && usd < 0.01 ? '<$0.01' : `$${usd.toFixed(2)}`;
}

/** Unknown, or a minimum, if attempts reported none. */
export function costOf({ costUsd, unpriced = 0 }: { readonly costUsd: number; readonly unpriced?: number }): string {
  if (unpriced === 0) return moneyOf(costUsd);
  return costUsd > 0 ? `at least ${moneyOf(costUsd)}` : 'cost unknown';
}

export function tokensOf(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

export function sizeOf(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1_024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}

export function dotted(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

const dateFormats = {
  stamp: ['sv-SE', { dateStyle: 'short', timeStyle: 'medium' }],
  clock: ['en-GB', { hour: '2-digit', minute: '2-digit' }],
  date: ['en-GB', { dateStyle: 'short' }],
  year: ['en-GB', { year: 'numeric' }],
  day: ['en-GB', { weekday: 'long', day: 'numeric', month: 'long' }],
  dayAndYear: ['en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }],
  month: ['en-GB', { month: 'long', year: 'numeric' }],
} as const satisfies Readonly<Record<string, readonly [string, Intl.DateTimeFormatOptions]>>;

const maxFormatters = 200;
/** A new one takes as long as a hundred uses. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Default zone: the machine's. */
function formatted(at: number, format: keyof typeof dateFormats, zone: string | null | undefined): string {
  const key = `${format} ${zone ?? ''}`;
  const known = formatters.get(key);
  if (known !== undefined) return known.format(at);
  const [locale, options] = dateFormats[format];
  const made = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone ?? undefined });
  if (formatters.size >= maxFormatters) formatters.clear();
  formatters.set(key, made);
  return made.format(at);
}

/** `2026-11-20 09:14:05`; default zone: the machine's. */
export function stampOf(at: number, zone: string | null = null): string {
  if (!Number.isFinite(at) || Math.abs(at) >= 8.64e15) return '?';
  return formatted(at, 'stamp', zone);
}

export const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Null: no zone of this name. */
export function zoneNamed(name: string): string | null {
  if (!/^[A-Za-z][\w+-]*(?:\/[\w+-]+){0,3}$/.test(name) || name.length > 60) return null;
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

export function isoOf(at: number): string {
  return Number.isFinite(at) && Math.abs(at) < 8.64e15 ? new Date(at).toISOString() : '';
}

/** `14:05`; default zone: the machine's. */
export function clockOf(at: number, zone?: string | null): string {
  return formatted(at, 'clock', zone);
}

const dayMs = 24 * 3_600_000;

/** `Today`, `Yesterday`, `Tuesday 17 November`, and with the year if that is another one. */
export function dayOf(at: number, now: number, zone?: string | null): string {
  const date = (of: number) => formatted(of, 'date', zone);
  if (date(at) === date(now)) return 'Today';
  if (date(at) === date(now - dayMs)) return 'Yesterday';
  const isThisYear = formatted(at, 'year', zone) === formatted(now, 'year', zone);
  return formatted(at, isThisYear ? 'day' : 'dayAndYear', zone);
}

/** Days more than two weeks ago share their month. */
export function dayOrMonthOf(at: number, now: number, zone: string | null): string {
  if (now - at < 14 * dayMs) return dayOf(at, now, zone);
  return formatted(at, 'month', zone);
}

/** `page`, `Telegram`. */
export function channelName(where: string): string {
  return where === 'web' ? 'page' : lineOf(capital(where), 40);
}
