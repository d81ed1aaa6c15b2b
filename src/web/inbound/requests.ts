import type { Context } from 'hono';
import { z } from 'zod';
import { messageJson, requestSchema } from '../../bot/index.js';
import { surfaceOf } from '../access/caller.js';
import type { Env, WebContext } from '../context/web-context.js';
import { fitting, jsonOf, readBody } from '../http/body.js';
import { errorJson, problem } from '../http/problem.js';
import { openResponse } from '../streams/open-response.js';
import { speak, type WebRequest } from './speak.js';

export const maxBodyBytes = 1024 * 1024;
const maxImportBytes = 5 * maxBodyBytes;
export const maxWaitMs = 7 * 24 * 3_600_000;
/** Beyond this a client is disconnected. */
const maxPendingLines = 5_000;

export const waiting = z.looseObject({
  wait: z.boolean().default(false),
  timeoutMs: z.int().min(0).max(maxWaitMs).default(maxWaitMs),
});

export async function postRequest(c: Context<Env>, web: WebContext): Promise<Response> {
  if (web.who.kind !== 'home-owner') return problem(403, 'not_allowed', 'Only the owner of this Bosun may do that');
  const body = await readBody(c.req.raw, maxImportBytes);
  if (body instanceof Response) return body;
  const json = jsonOf(body);
  if (json instanceof Response) return json;
  const how = fitting(json.data, waiting);
  if (how instanceof Response) return how;
  const { wait, timeoutMs, ...rest } = how.data;
  const request = fitting(rest, requestSchema);
  if (request instanceof Response) return request;
  if (request.data.do !== 'import' && body.length > maxBodyBytes) {
    return problem(413, 'bad_input', `The body is too large: the limit is ${maxBodyBytes} bytes`);
  }
  return streamed(c, web, { request: request.data, wait, timeoutMs });
}

type Requested = Pick<WebRequest, 'request' | 'wait' | 'timeoutMs'>;

function streamed(c: Context<Env>, web: WebContext, requested: Requested): Response {
  const { feed, gone, send } = openResponse(c, web, maxPendingLines);
  const line = (value: unknown) => feed.push(`${JSON.stringify(value)}\n`);
  const { ended } = speak(web.services, {
    ...requested,
    surface: surfaceOf(c),
    gone,
    onMessage: (message) => {
      if (!line({ message: messageJson(message) })) feed.close();
    },
  });
  ended
    .then(
      (exit) => line({ exit }),
      (error: unknown) => {
        const shown = errorJson(error);
        if (shown.code === 'bug') web.log(`request: ${String(error)}`, { level: 'error' });
        line({ error: shown });
      },
    )
    .finally(() => feed.close());
  return send('application/x-ndjson; charset=utf-8');
}
