// What Telegram posts, where a webhook is set up: one update, answered once it is written down.
import type { Context } from 'hono';
import { telegramWebhookPath } from '../dispatch/index.js';
import { jsonOf, readBody } from './body.js';
import { problem } from './problem.js';
import { isSameSecret } from './secrets.js';
import type { Env, Site } from './site.js';

const maxUpdateBytes = 1024 * 1024;

export function isPostedUpdate(c: Context<Env>): boolean {
  return c.req.method === 'POST' && c.req.path === telegramWebhookPath;
}

/** Anything but 200 makes the platform post it again. */
export async function postUpdate(c: Context<Env>, { entrances, log }: Site): Promise<Response> {
  const shown = c.req.header('x-telegram-bot-api-secret-token') ?? '';
  const entrance = entrances('telegram');
  if (entrance === null) return problem(404, 'not_found', 'No webhook is set up here');
  if (!isSameSecret(shown, entrance.secret))
    return problem(401, 'not_allowed', 'That is not the secret of this webhook');
  const body = await readBody(c.req.raw, maxUpdateBytes);
  if (body instanceof Response) return body;
  const update = jsonOf(body);
  if (update instanceof Response) return update;
  try {
    if (entrance.receive(update.data) === 'taken') return Response.json({});
  } catch (error) {
    log(`telegram: what comes in cannot be written down: ${error instanceof Error ? error.message : 'unknown'}`);
  }
  return problem(503, 'not_now', 'It cannot be taken now: post it again');
}
