import { z } from 'zod';
import { dayEnd } from '../../../store/index.js';
import { runStatuses } from '../shared/status.js';
import { stampOf } from '../shared/text.js';
import { costPattern, readSearch, sincePattern } from './search-words.js';

const hourMs = 3_600_000;

const unitMs = { h: hourMs, d: 24 * hourMs, w: 7 * 24 * hourMs } as const;
const spans = { day: '24h', week: '7d', month: '30d' } as const;

const word = z.string().max(200).catch('').default('');

const filters = z.object({
  q: word,
  project: word,
  status: word.transform((status) => (Object.hasOwn(runStatuses, status) ? status : '')),
  by: word,
  workflow: word,
  agent: word,
  cost: word.transform((cost) => (costPattern.test(cost) ? cost : '')),
  /** `day`, `week` and `month` are those of older links. */
  since: word
    .transform((since) => (Object.hasOwn(spans, since) ? spans[since as keyof typeof spans] : since))
    .transform((since) => (sincePattern.test(since) ? since : '')),
  /** Messages, commits or logs; '': runs. */
  in: z.enum(['', 'messages', 'commits', 'logs']).catch('').default(''),
  before: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullable().catch(null).default(null),
});

export type HistoryQuery = z.infer<typeof filters>;

/** A filter among the words counts as one of the address, and in place of it. */
export const historyQuery = filters.transform((query) => {
  const { words, filters: typed, problems } = readSearch(query.q);
  const { state = query.status, ...others } = typed;
  return { query: { ...query, ...others, status: state, q: words }, problems };
});

/** The same search with other filters, from its newest run. */
export function historyLink(query: HistoryQuery, more: Partial<HistoryQuery>): string {
  const all = Object.entries({ ...query, before: null, ...more });
  const set = new URLSearchParams();
  for (const [name, value] of all) if (value !== '' && value !== null) set.set(name, String(value));
  return set.size === 0 ? '/history' : `/history?${set}`;
}

/** Null: from the beginning. */
export function sinceOf({ since }: HistoryQuery, now: number, zone: string | null): number | null {
  if (since === '') return null;
  const [, count = '', unit = ''] = /^(\d+)([hdw])$/.exec(since) ?? [];
  return unit === '' ? dayBegin(since, zone) : now - Number(count) * unitMs[unit as keyof typeof unitMs];
}

/** Null: no such day. */
function dayBegin(day: string, zone: string | null): number | null {
  const inUtc = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(inUtc)) return null;
  let at = inUtc - 15 * hourMs;
  while (stampOf(at, zone).slice(0, 10) < day) at = dayEnd(at, zone);
  return at;
}

export function costOf({ cost }: HistoryQuery): { readonly minUsd: number | null; readonly maxUsd: number | null } {
  const usd = cost === '' ? null : Number(cost.slice(1));
  return { minUsd: cost.startsWith('>') ? usd : null, maxUsd: cost.startsWith('<') ? usd : null };
}
