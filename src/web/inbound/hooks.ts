// Posts of agents' hooks or CI. A body is data and cannot name a command.
import type { Context } from 'hono';
import { z } from 'zod';
import { hookSource, messageJson, perform, requestSchema } from '../../bot/index.js';
import { projectNamed } from '../../config/index.js';
import { bearerOf, callerOf, isAttemptToken, prove } from '../access/caller.js';
import { isSignatureGood } from '../access/signature.js';
import type { Env, WebContext } from '../context/web-context.js';
import { fitting, jsonOf, readBody } from '../http/body.js';
import { problem } from '../http/problem.js';

const maxHookBytes = 64 * 1024;
const filled = z.string().max(200).nullish();

/** Loose, because agents' hooks send more fields; those are ignored. */
const hookBody = z.looseObject({
  token: filled,
  status: filled,
  reason: filled,
  summary: z.string().max(maxHookBytes).nullish(),
  url: z.string().max(2_000).nullish(),
  thread: filled,
  /** Other systems send runs of their own. */
  run: z
    .string()
    .regex(/^r\d{1,9}$/)
    .optional()
    .catch(undefined),
});

type Proof =
  | { readonly by: 'caller' }
  | { readonly by: 'attempt'; readonly token: string }
  | { readonly by: 'signature'; readonly header: string };

export async function postHook(c: Context<Env>, web: WebContext): Promise<Response> {
  const body = await readBody(c.req.raw, maxHookBytes);
  if (body instanceof Response) return body;
  const named = c.req.param('project') ?? '';
  const json = body.length === 0 ? { data: {} } : jsonOf(body);
  const read = json instanceof Response ? json : fitting(json.data, hookBody);
  const said = read instanceof Response ? null : read.data;
  const proof = proofOf(c, web, { named, body, token: said?.token ?? null });
  if (proof === null) return problem(401, 'not_allowed', 'This hook call is not authenticated', howToProve);
  prove(c, web);
  if (read instanceof Response) return read;
  const project = projectNamed(web.services.config(), named);
  if (!project) return problem(404, 'not_found', `No project "${named}"`);
  const keys = keysOf(proof, project.name, c.req.header('x-bosun-delivery'));
  const { inbox } = web.services.runtime;
  if (keys.some((key) => web.deliveries.has(key) || inbox.isKnown(hookSource, key)))
    return Response.json({ items: [], exit: 0, duplicate: true });
  const { token, run, status, reason, summary, url } = read.data;
  // The thread may be a private chat, so only the home's token may choose it.
  const thread = proof.by === 'caller' ? read.data.thread : null;
  web.log(`hook: taken, by ${proof.by}`, { project: project.name });
  const isOfAttempt = proof.by === 'attempt';
  const delivered = isOfAttempt ? null : { ids: keys, url: url ?? null };
  const given = { run, status, reason, summary, delivery: delivered, token: isOfAttempt ? proof.token : token };
  return once(web, keys, withoutEmpty({ do: 'hook', project: project.name, thread, ...given }));
}

/** Separate per proof, so that no caller uses up another's ids. */
function keysOf(proof: Proof, project: string, delivery: string | undefined): readonly string[] {
  const id = delivery ? [`${project} ${delivery.slice(0, 200)}`] : [];
  switch (proof.by) {
    case 'caller':
      return id.map((one) => `delivery by token ${one}`);
    case 'attempt':
      return [];
    case 'signature':
      // A replay under another id is a duplicate.
      return [...id.map((one) => `delivery ${one}`), `signature ${project} ${proof.header}`];
  }
}

const howToProve = `Send Bosun's token, the token of a running attempt, or a signature: X-Bosun-Signature: t=<unix>,v1=<hmac of "t.body">.`;

/** Released on failure, for a retry. */
async function once(web: WebContext, keys: readonly string[], delivered: unknown): Promise<Response> {
  const request = fitting(delivered, requestSchema);
  if (request instanceof Response) return request;
  for (const key of keys) web.deliveries.add(key);
  try {
    const answered = await perform(web.services, request.data);
    const items = answered.messages.map((message) => ({ id: message.id, ...messageJson(message) }));
    return Response.json({ items, exit: answered.exit });
  } catch (error) {
    for (const key of keys) web.deliveries.take(key);
    throw error;
  }
}

interface Claim {
  readonly named: string;
  readonly body: Buffer;
  readonly token: string | null;
}

function proofOf(c: Context<Env>, web: WebContext, { named, body, token }: Claim): Proof | null {
  // Browser sessions may not post hooks.
  if (callerOf(c, web)?.kind === 'token') return { by: 'caller' };
  const project = projectNamed(web.services.config(), named);
  if (!project) return null;
  const shown = bearerOf(c) ?? token;
  if (shown !== null && isAttemptToken(web, shown, project.name)) return { by: 'attempt', token: shown };
  const header = c.req.header('x-bosun-signature');
  if (header === undefined || project.hookSecret === null) return null;
  const isGood = isSignatureGood({ header, body, secret: project.hookSecret, now: web.now() });
  return isGood ? { by: 'signature', header } : null;
}

function withoutEmpty(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );
}
