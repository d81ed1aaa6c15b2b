// When the reader was last here. Their browser keeps it, in a cookie that only the server reads.
import type { Context } from 'hono';
import { generateCookie, getCookie } from 'hono/cookie';
import { z } from 'zod';
import type { Env, WebContext } from './web-context.js';

/** Pages that are opened within this time are one visit. */
const visitGapMs = 30 * 60_000;
const keptSeconds = 365 * 24 * 3_600;

interface Visit {
  /** When the visit before this one ended; null: none is known. */
  readonly since: number | null;
  readonly last: number;
}

const shape = z
  .string()
  .regex(/^\d{1,15}\.\d{1,15}$/)
  .transform((text) => text.split('.').map(Number));

type Clock = Pick<WebContext, 'now' | 'port'>;

export function visitOf(c: Context<Env>, web: Clock): Visit {
  const now = web.now();
  const [since = 0, last = 0] = shape.safeParse(getCookie(c, cookieOf(web))).data ?? [];
  // A first visit, or one in the future.
  if (last === 0 || since > last || last > now) return { since: null, last: now };
  if (now - last > visitGapMs) return { since: last, last: now };
  return { since: since === 0 ? null : since, last: now };
}

/** Only opened pages count: one may stay open, and fetch, while nobody looks. */
export function keepVisit(c: Context<Env>, web: Clock, headers: Headers): void {
  if ((c.req.header('sec-fetch-mode') ?? 'navigate') !== 'navigate') return;
  const { since, last } = visitOf(c, web);
  const rules = { httpOnly: true, sameSite: 'Strict', path: '/', maxAge: keptSeconds } as const;
  headers.append('set-cookie', generateCookie(cookieOf(web), `${since ?? 0}.${last}`, rules));
}

/** Cookies ignore ports, so each Bosun has its own name. */
function cookieOf({ port }: Clock): string {
  return `bosun_visit_${port()}`;
}
