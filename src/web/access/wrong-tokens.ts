// Answers 429 after a few wrong tokens per address. A right one always passes, because people and attackers may share
// the loopback.
import type { MiddlewareHandler } from 'hono';
import type { Env, WebContext } from '../context/web-context.js';
import { problem } from '../http/problem.js';

export const maxWrongTokens = 20;
export const wrongTokensWindowMs = 60_000;
const maxAddresses = 1_000;

interface Guesses {
  readonly until: number;
  readonly count: number;
}

/** Counts 401 responses, so that every entry is covered. */
export function slowWrongTokens(web: Pick<WebContext, 'now' | 'log'>): MiddlewareHandler<Env> {
  /** Least recently updated first. */
  const guesses = new Map<string, Guesses>();
  return async (c, next) => {
    await next();
    const isGuess = c.req.header('authorization') !== undefined || (c.req.path === '/login' && c.req.method === 'POST');
    if (c.res.status !== 401 || !isGuess) return;
    const address = c.env.incoming.socket.remoteAddress ?? '';
    const { count, until } = counted(guesses, address, web.now());
    if (count <= maxWrongTokens) return;
    if (count === maxWrongTokens + 1)
      web.log(`wrong tokens from ${address}: ${count} within a minute`, { level: 'warn' });
    const waitS = Math.max(1, Math.ceil((until - web.now()) / 1_000));
    const hint = `Wait ${waitS} s, then send the token in the file BOSUN_HOME/token. The right token is accepted at any time.`;
    c.res = problem(429, 'not_allowed', 'This address sent too many wrong tokens', hint);
    c.res.headers.set('retry-after', String(waitS));
  };
}

function counted(guesses: Map<string, Guesses>, address: string, now: number): Guesses {
  const before = guesses.get(address);
  const isOver = before === undefined || before.until <= now;
  const next = { until: isOver ? now + wrongTokensWindowMs : before.until, count: isOver ? 1 : before.count + 1 };
  guesses.delete(address);
  guesses.set(address, next);
  const [oldest] = guesses.keys();
  if (guesses.size > maxAddresses && oldest !== undefined) guesses.delete(oldest);
  return next;
}
