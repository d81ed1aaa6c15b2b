import type { Context } from 'hono';
import { z } from 'zod';
import { requestSchema } from '../../bot/index.js';
import { localPerson } from '../../config/index.js';
import { callerOf } from '../access/caller.js';
import type { Env, WebContext } from '../context/web-context.js';
import { parseJson, readBody } from '../http/body.js';
import { problem } from '../http/problem.js';
import { noQuery, queryOf } from '../http/query.js';
import { postRequest, waiting } from '../inbound/requests.js';
import { postPress, postRemind, postSay, pressing, reminding, saying } from '../inbound/say.js';
import { getStream, streamQuery } from '../streams/message-stream.js';
import type { ApiRoute } from './route.js';
import { answered, brokenOff, loginLink } from './shapes.js';

const exampleAnswer = {
  items: [{ id: 'm31', message: 'm31', thread: 'local', edits: null, kind: 'answer', text: 'shop: idle', buttons: [] }],
  exit: 0,
};

const request = z.union(requestSchema.options.map((option) => option.extend(waiting.shape)));

/** The person to log in; default: the owner. */
const linkFor = z.strictObject({ as: z.string().min(1).max(200).nullable().default(null) });

export const saidRoutes: readonly ApiRoute[] = [
  {
    method: 'get',
    path: '/api/stream',
    summary: `Messages as server-sent events: "id" is the message's id, "data" a message as "say" returns it`,
    query: streamQuery,
    headers: { 'Last-Event-ID': 'The id of the last message received; overrides "after".' },
    answer: {
      type: 'text/event-stream',
      schema: z.string(),
      example: 'id: m31\nevent: message\ndata: {"id":"m31"}\n\n',
    },
    fails: [503],
    hasTag: false,
    handle: getStream,
  },
  posting({
    path: '/api/say',
    summary: 'Sends a message to a thread, and returns what was posted there',
    body: { schema: saying, example: { text: 'status shop' } },
    answer: { type: 'application/json', schema: z.union([answered, brokenOff]), example: exampleAnswer },
    fails: [404, 409, 413, 503],
    handle: postSay,
  }),
  posting({
    path: '/api/press',
    summary: 'Presses a button that a message offered',
    body: { schema: pressing, example: { press: 'i12-1.approve', text: 'well done' } },
    answer: { type: 'application/json', schema: z.union([answered, brokenOff]), example: exampleAnswer },
    fails: [404, 409, 413, 503],
    handle: postPress,
  }),
  posting({
    path: '/api/remind',
    summary: 'Reminds the people whom an open interaction waits for, at most once an hour',
    body: { schema: reminding, example: { interaction: 'i12-1' } },
    answer: { type: 'application/json', schema: z.union([answered, brokenOff]), example: exampleAnswer },
    fails: [404, 409, 413, 503],
    handle: postRemind,
  }),
  posting({
    path: '/api/requests',
    summary: 'Performs a request of the command line; streams lines of {"message"}, then {"exit"} or {"error"}',
    body: { schema: request, example: { do: 'run', project: 'shop', task: 'Say hello', wait: true } },
    answer: {
      type: 'application/x-ndjson',
      schema: z.string(),
      example: '{"message":{"message":"m31"}}\n{"exit":0}\n',
    },
    fails: [404, 409, 413, 503],
    handle: postRequest,
  }),
  posting({
    path: '/api/login-links',
    summary: 'Creates a link that logs one browser in, once; needs the API token',
    body: { schema: linkFor, example: { as: 'bob' }, isNeeded: false },
    answer: {
      type: 'application/json',
      schema: loginLink,
      example: { url: 'http://bosun-3f9a2c.localhost:7420/login?code=…' },
    },
    fails: [],
    handle: newLoginLink,
  }),
];

function posting(route: Omit<ApiRoute, 'method' | 'query' | 'hasTag'>): ApiRoute {
  return {
    ...route,
    method: 'post',
    query: noQuery,
    hasTag: false,
    handle(c, web) {
      const given = queryOf(c, noQuery);
      return given instanceof Response ? given : route.handle(c, web);
    },
  };
}

/** Security: token only, because a browser session must not create sessions. */
async function newLoginLink(c: Context<Env>, web: WebContext): Promise<Response> {
  if (callerOf(c, web)?.kind !== 'token')
    return problem(403, 'not_allowed', "Creating a login link needs Bosun's API token");
  const body = await readBody(c.req.raw, maxLinkBytes);
  if (body instanceof Response) return body;
  const link = body.length === 0 ? { data: { as: null } } : parseJson(body, linkFor);
  if (link instanceof Response) return link;
  const { as } = link.data;
  localPerson(web.services.config(), as);
  return Response.json({ url: `${web.pageUrl()}/login?code=${web.logins.newCode(as)}` });
}

const maxLinkBytes = 4 * 1024;
