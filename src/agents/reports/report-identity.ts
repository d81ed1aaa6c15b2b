// A report that names another story, step, attempt or token is stale.
import { z } from 'zod';
import type { AttemptSpec } from '../../jobs/index.js';

const maxChars = 20_000;

/** Absent is null; other than a scalar is invalid. */
export const scalar = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .transform((value) => (value === null ? null : String(value).trim().slice(0, maxChars)))
  .default(null);

export const identityFields = { story: scalar, item: scalar, step: scalar, attempt: scalar, token: scalar };

export interface Identity {
  readonly story: string | null;
  readonly item: string | null;
  readonly step: string | null;
  readonly attempt: string | null;
  readonly token: string | null;
}

/** Null: none. */
export function mismatchOf(named: Identity, spec: AttemptSpec): string | null {
  const story = named.story ?? named.item;
  // Outside items there is no key to compare.
  if (spec.item !== '' && isOther(story, [spec.item])) return `story ${quote(story)}`;
  if (isOther(named.step, [spec.step, spec.label, spec.node])) return `step ${quote(named.step)}`;
  if (isOther(named.attempt, [String(spec.attemptNumber), spec.attempt])) return `attempt ${quote(named.attempt)}`;
  // A secret: never print it.
  if (isOther(named.token, [spec.token])) return 'the token of another attempt';
  return null;
}

function isOther(named: string | null, expected: readonly string[]): boolean {
  if (named === null || named === '' || named === 'null') return false;
  return !expected.some((value) => value.toLowerCase() === named.toLowerCase() || isSameNumber(value, named));
}

/** YAML parses `007` as 7. */
function isSameNumber(one: string, other: string): boolean {
  return /^\d{1,15}$/.test(one) && /^\d{1,15}$/.test(other) && Number(one) === Number(other);
}

function quote(text: string | null): string {
  return `"${(text ?? '').slice(0, 60)}"`;
}
