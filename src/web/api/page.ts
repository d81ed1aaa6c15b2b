// `limit` items, and in `next` the id before the following page.
import { z } from 'zod';
import { type ProjectConfig, projectNamed } from '../../config/index.js';
import type { WebContext } from '../context/web-context.js';
import { limit } from '../http/query.js';
import { missing } from './not-there.js';

/** A page begins after an id of `what`. */
export function paged(what: string, maxChars = 200) {
  return { limit, after: z.string().max(maxChars).optional().describe(`The id of ${what}.`) };
}

interface Wanted {
  readonly limit: number;
  readonly after?: string | undefined;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Null: no such id in `after`. */
export function pageAfter<T>(
  all: readonly T[],
  idOf: (one: T) => string,
  { limit: most, after }: Wanted,
): Page<T> | null {
  const last = after === undefined ? -1 : all.findIndex((one) => idOf(one) === after);
  if (after !== undefined && last === -1) return null;
  const end = last + 1 + most;
  const items = all.slice(last + 1, end);
  const newest = items.at(-1);
  return { items, next: end < all.length ? (newest === undefined ? (after ?? null) : idOf(newest)) : null };
}

/** `found`: one row more than fits if there is a next page. */
export function firstPage<T extends { readonly id: string }>(found: readonly T[], most: number): Page<T> {
  const items = found.slice(0, most);
  return { items, next: found.length > most ? (items.at(-1)?.id ?? null) : null };
}

export function projectWanted(web: WebContext, named: string | undefined): ProjectConfig | null | Response {
  if (named === undefined) return null;
  return projectNamed(web.services.config(), named) ?? missing('project', named);
}
