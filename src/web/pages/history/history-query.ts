import { z } from 'zod';
import { runStatuses } from '../shared/status.js';

const hourMs = 3_600_000;

export const sinceMs = { day: 24 * hourMs, week: 7 * 24 * hourMs, month: 30 * 24 * hourMs } as const;

const word = z.string().max(200).catch('').default('');

export const historyQuery = z.object({
  q: word,
  project: word,
  status: word.transform((status) => (Object.hasOwn(runStatuses, status) ? status : '')),
  by: word,
  workflow: word,
  since: z.enum(['', 'day', 'week', 'month']).catch('').default(''),
  /** Messages, commits or logs; '': runs. */
  in: z.enum(['', 'messages', 'commits', 'logs']).catch('').default(''),
  before: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullable().catch(null).default(null),
});

export type HistoryQuery = z.infer<typeof historyQuery>;

/** The same search with other filters, from its newest run. */
export function historyLink(query: HistoryQuery, more: Partial<HistoryQuery>): string {
  const all = Object.entries({ ...query, before: null, ...more });
  const set = new URLSearchParams();
  for (const [name, value] of all) if (value !== '' && value !== null) set.set(name, String(value));
  return set.size === 0 ? '/history' : `/history?${set}`;
}
