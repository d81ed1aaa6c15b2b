// Passes a post unread to its channel, which authenticates and stores before it answers.
import type { Context } from 'hono';
import { channelKinds, type WebhookReceiver } from '../../bot/index.js';
import type { Env, WebContext } from '../context/web-context.js';
import { readBody } from '../http/body.js';
import { problem } from '../http/problem.js';

const posting = channelKinds.flatMap(({ name, webhookPath: path }) => (path === null ? [] : [{ name, path }]));

export const postedPaths = posting.map(({ path }) => path);

const maxPostedBytes = 1024 * 1024;

export function webhookCalled(c: Context<Env>, { webhooks }: WebContext): WebhookReceiver | null {
  const channel = posting.find(({ path }) => path === c.req.path);
  return channel === undefined || c.req.method !== 'POST' ? null : webhooks(channel.name);
}

/** Platforms retry anything but 200. */
export async function postToChannel(c: Context<Env>, web: WebContext): Promise<Response> {
  const webhook = webhookCalled(c, web);
  if (webhook === null) return problem(404, 'not_found', 'There is no webhook at this address');
  const body = await readBody(c.req.raw, maxPostedBytes);
  if (body instanceof Response) return body;
  try {
    const answer = await webhook.receive({ headers: c.req.header(), body: body.toString('utf8') });
    return new Response(answer.body, { status: answer.status, ...(answer.headers && { headers: answer.headers }) });
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown';
    web.log(`a platform's post could not be stored: ${why}`, { level: 'error' });
    return problem(503, 'not_now', 'The post could not be stored: send it again');
  }
}
