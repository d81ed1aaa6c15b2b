// Tells that an executor replaces a failed one, or works again.

import type { Notice } from '../../../engine/index.js';
import { spaced } from '../facts.js';
import { clock } from '../view.js';

export type ExecutorNotice = Extract<Notice, { type: 'executor_replaced' | 'executor_back' }>;

export function executorText(notice: ExecutorNotice): string {
  if (notice.type === 'executor_back') return `${notice.name} goes on again.`;
  const { failed, code, until, by, from } = notice;
  const goesOn = from === null ? `${by} goes on.` : `${by} goes on at ${clock(from)}, when its own limit lifts.`;
  return `${failureText({ name: failed, code, until })}; ${goesOn}`;
}

/** A broken executor has no time to come back. */
export function failureText({
  name,
  code,
  until,
}: {
  readonly name: string;
  readonly code: string;
  readonly until: number | null;
}): string {
  const words = states[code] ?? `failed (${spaced(code)})`;
  return `${name} ${words}${until === null || !lifting.has(code) ? '' : ` until ${clock(until)}`}`;
}

const lifting: ReadonlySet<string> = new Set(['rate_limited', 'overloaded']);

const states: Readonly<Record<string, string>> = {
  rate_limited: 'is at its usage limit',
  overloaded: 'cannot be reached or is overloaded, and rests',
  not_logged_in: 'is not logged in',
  not_installed: 'is not installed',
  executor_missing: 'is not installed',
};
