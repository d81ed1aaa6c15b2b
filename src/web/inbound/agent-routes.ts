// Security: an attempt's token is valid only here, and an agent never gets the home's.
import type { Context } from 'hono';
import { z } from 'zod';
import type { AgentQuestionAnswer, OpenAgentQuestion } from '../../dispatch/index.js';
import { bearerOf, isAttemptToken, prove } from '../access/caller.js';
import { type Env, inSlot, type WebContext } from '../context/web-context.js';
import { parseJson, readBody } from '../http/body.js';
import { problem } from '../http/problem.js';

const maxQuestionBytes = 8 * 1024;
/** JSON may escape one byte as six. */
const maxAskBytes = 6 * (maxQuestionBytes + 4 * 1024);
/** The input plus other fields. */
const maxPermissionBytes = 66 * 1024;
const maxProgressBytes = 16 * 1024;

const key = z.string().min(1).max(200);
const wait_s = z.number().min(0).max(25).default(25);
const question = z.strictObject({
  key,
  wait_s,
  question: z
    .string()
    .refine((text) => text.trim() !== '', 'must not be empty')
    .refine(isWithin(maxQuestionBytes), `must have at most ${maxQuestionBytes} bytes`),
  options: z.array(z.string().max(500)).max(10).default([]),
});
const permission = z.strictObject({
  key,
  wait_s,
  tool: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  reason: z.string().max(1_000).optional(),
});
const words = z.strictObject({
  wait_s,
  heard: z.strictObject({ key, is_heard: z.boolean() }).nullable().default(null),
});
const progress = z.strictObject({ text: z.string().min(1).max(2_000) });

export async function postAsk(c: Context<Env>, web: WebContext): Promise<Response> {
  const said = await read(c, question, maxAskBytes);
  if (said instanceof Response) return said;
  const { question: text, options } = said.data;
  return answerQuestion(c, web, said, { kind: 'question', text, options });
}

export async function postPermission(c: Context<Env>, web: WebContext): Promise<Response> {
  const said = await read(c, permission, maxPermissionBytes);
  if (said instanceof Response) return said;
  const { tool, input, reason } = said.data;
  return answerQuestion(c, web, said, { kind: 'permission', tool, input, ...(reason === undefined ? {} : { reason }) });
}

export async function postProgress(c: Context<Env>, web: WebContext): Promise<Response> {
  const said = await read(c, progress, maxProgressBytes);
  if (said instanceof Response) return said;
  web.services.runtime.noteProgress(said.token, said.data.text);
  return Response.json({ state: 'noted' });
}

export async function postWords(c: Context<Env>, web: WebContext): Promise<Response> {
  const said = await read(c, words, maxProgressBytes);
  if (said instanceof Response) return said;
  const { token, data } = said;
  const next = async () => {
    if (isAttemptToken(web, token, null)) prove(c, web);
    const heard = data.heard && { key: data.heard.key, isHeard: data.heard.is_heard };
    const gone = AbortSignal.any([c.req.raw.signal, web.ending]);
    const { kind, ...more } = await web.services.runtime.nextWords({ token, heard, waitMs: data.wait_s * 1000, gone });
    return Response.json({ state: kind, ...more });
  };
  return inSlot(web, next, { what: 'Too many responses are open', hint: 'Ask again later.' });
}

interface QuestionPost {
  readonly token: string;
  readonly data: { readonly key: string; readonly wait_s: number };
}

async function answerQuestion(
  c: Context<Env>,
  web: WebContext,
  { token, data }: QuestionPost,
  ask: OpenAgentQuestion,
): Promise<Response> {
  const question = async () => {
    if (isAttemptToken(web, token, null)) prove(c, web);
    const gone = AbortSignal.any([c.req.raw.signal, web.ending]);
    const asking = { token, key: data.key, ask, waitMs: data.wait_s * 1000, gone };
    return Response.json(stateOf(await web.services.runtime.askPerson(asking)));
  };
  return inSlot(web, question, { what: 'Too many responses are open', hint: 'Ask again later, with the same key.' });
}

async function read<T extends z.ZodType>(c: Context<Env>, schema: T, maxBytes: number) {
  const token = bearerOf(c);
  if (token === null) {
    return problem(
      401,
      'not_allowed',
      "This request needs an attempt's token",
      'Send "Authorization: Bearer $BOSUN_TOKEN".',
    );
  }
  const body = await readBody(c.req.raw, maxBytes);
  if (body instanceof Response) return body;
  const parsed = parseJson(body, schema);
  return parsed instanceof Response ? parsed : { token, data: parsed.data };
}

function stateOf(answer: AgentQuestionAnswer): Readonly<Record<string, unknown>> {
  switch (answer.kind) {
    case 'answered':
      return { state: 'answered', text: answer.text, by: answer.by };
    case 'allowed':
      return { state: 'allowed', by: answer.by };
    case 'denied':
      return { state: 'denied', by: answer.by, why: answer.why };
    default:
      return { state: answer.kind };
  }
}

function isWithin(maxBytes: number): (text: string) => boolean {
  return (text) => Buffer.byteLength(text) <= maxBytes;
}
