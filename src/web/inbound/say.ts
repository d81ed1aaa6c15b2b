// Chat for scripts: sends or presses, and returns the thread's new posts.
import type { Context } from 'hono';
import { z } from 'zod';
import { messageJson, type Request as Requested, requestSchema } from '../../bot/index.js';
import type { Message } from '../../store/index.js';
import { surfaceOf } from '../access/caller.js';
import { webThreadOf } from '../access/visible-context.js';
import type { Env, WebContext } from '../context/web-context.js';
import { fitting, parseJson, readBody } from '../http/body.js';
import { errorJson, problem } from '../http/problem.js';
import { openResponse } from '../streams/open-response.js';
import { maxBodyBytes, maxWaitMs } from './requests.js';
import { speak } from './speak.js';

const how = {
  thread: z.string().optional(),
  as: z.string().nullable().optional(),
  wait: z.boolean().default(false),
  timeout_s: z
    .number()
    .min(0)
    .max(maxWaitMs / 1000)
    .default(600),
};
export const saying = z.strictObject({ text: z.string(), reply_to: z.string().nullable().optional(), ...how });
export const pressing = z.strictObject({ press: z.string(), text: z.string().nullable().optional(), ...how });
export const reminding = z.strictObject({ interaction: z.string().regex(/^i\d{1,12}-\d{1,12}$/), ...how });

/** Only the newest, because progress may be long. */
const maxMessages = 1_000;

export async function postSay(c: Context<Env>, web: WebContext): Promise<Response> {
  const said = await jsonBody(c, saying);
  if (said instanceof Response) return said;
  const { wait, timeout_s, reply_to: replyTo, ...rest } = said.data;
  return answer(c, web, { do: 'say', ...rest, replyTo }, { wait, timeoutMs: timeout_s * 1000 });
}

export async function postPress(c: Context<Env>, web: WebContext): Promise<Response> {
  const pressed = await jsonBody(c, pressing);
  if (pressed instanceof Response) return pressed;
  const { wait, timeout_s, ...rest } = pressed.data;
  return answer(c, web, { do: 'press', ...rest }, { wait, timeoutMs: timeout_s * 1000 });
}

/** The same as the word in chat, with its rights and its limit. */
export async function postRemind(c: Context<Env>, web: WebContext): Promise<Response> {
  const reminded = await jsonBody(c, reminding);
  if (reminded instanceof Response) return reminded;
  const { wait, timeout_s, interaction, ...rest } = reminded.data;
  return answer(c, web, { do: 'say', ...rest, text: `remind ${interaction}` }, { wait, timeoutMs: timeout_s * 1000 });
}

async function jsonBody<T extends z.ZodType>(c: Context<Env>, schema: T) {
  const body = await readBody(c.req.raw, maxBodyBytes);
  return body instanceof Response ? body : parseJson(body, schema);
}

interface Waiting {
  readonly wait: boolean;
  readonly timeoutMs: number;
}

interface Speaking {
  readonly as?: string | null | undefined;
  readonly thread?: string | undefined;
}

async function answer(
  c: Context<Env>,
  web: WebContext,
  spoken: Speaking & Readonly<Record<string, unknown>>,
  { wait, timeoutMs }: Waiting,
) {
  const own = inOwnName(web, spoken);
  if (own instanceof Response) return own;
  const request = fitting(own, requestSchema);
  if (request instanceof Response) return request;
  return wait ? waited(c, web, request.data, timeoutMs) : atOnce(c, web, request.data);
}

/** The owner speaks as anyone, anywhere; others as themselves in their thread. */
function inOwnName<T extends Speaking>(web: WebContext, spoken: T): Response | Speaking {
  const { who } = web;
  if (who.kind === 'home-owner') return spoken;
  const thread = webThreadOf(web);
  if ((spoken.as ?? who.name) !== who.name || (spoken.thread ?? thread) !== thread)
    return problem(403, 'not_allowed', `${who.name} may only speak as ${who.name}, in the thread ${thread}`);
  return { ...spoken, as: who.name, thread };
}

async function atOnce(c: Context<Env>, web: WebContext, request: Requested): Promise<Response> {
  const { items, onMessage } = collector();
  const surface = surfaceOf(c);
  const speaking = { request, surface, wait: false, timeoutMs: 0, onMessage, gone: web.ending };
  const exit = await speak(web.services, speaking).ended;
  return Response.json({ items: items(), exit });
}

async function waited(c: Context<Env>, web: WebContext, request: Requested, timeoutMs: number): Promise<Response> {
  const { feed, gone, end, send } = openResponse(c, web, 1);
  const { items, onMessage } = collector();
  const surface = surfaceOf(c);
  const { performed, ended } = speak(web.services, { request, surface, wait: true, timeoutMs, onMessage, gone });
  ended
    .then(
      (exit) => feed.push(JSON.stringify({ items: items(), exit })),
      (error: unknown) => feed.push(JSON.stringify({ error: errorJson(error) })),
    )
    .finally(() => feed.close());
  try {
    await performed;
  } catch (error) {
    end();
    throw error;
  }
  return send('application/json');
}

function collector() {
  const kept: Message[] = [];
  const onMessage = (message: Message) => {
    if (kept.push(message) > maxMessages) kept.shift();
  };
  return { onMessage, items: () => kept.map((message) => ({ id: message.id, ...messageJson(message) })) };
}
