// What is no method: where files go and come from, and where a press or a command is answered later.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Api } from './api.js';
import { change, post, remove } from './happen.js';
import { bearer, type Outside, send } from './http.js';
import { readBlocks } from './methods/content.js';
import { isRecord, readBody } from './params.js';
import { Refusal, refuse } from './refusal.js';
import type { Place } from './tickets.js';

export async function answerDoor(outside: Outside, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const [, door = '', id = ''] = pathname.split('/');
  if (door === 'upload') return upload(outside.api, id, request, response);
  if (door === 'files-pri') return download(outside, id, request, response);
  if (door === 'actions') return respond(outside, pathname, request, response);
  response.writeHead(404);
  response.end();
}

async function upload(api: Api, id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const file = api.world.files.get(id);
  if (!file) throw refuse('file_not_found');
  const body = await readBody(request);
  file.bytes = await uploadedBytes(body, request.headers['content-type'] ?? '');
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.end(`OK - ${file.bytes.length}`);
}

async function uploadedBytes(body: Buffer, type: string): Promise<Buffer> {
  if (!/^multipart\/form-data/i.test(type)) return body;
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  for (const value of form.values()) {
    if (typeof value !== 'string') return Buffer.from(await value.arrayBuffer());
  }
  return body;
}

/** Who has no right gets the page that asks for a password, and gets it with 200. */
function download({ api, tokens }: Outside, id: string, request: IncomingMessage, response: ServerResponse): void {
  const file = api.world.files.get(id);
  const may = bearer(request) === tokens.bot && tokens.standing === 'fine' && tokens.scopes.has('files:read');
  response.writeHead(file ? 200 : 404, { 'content-type': may ? 'application/octet-stream' : 'text/html' });
  response.end(may ? file?.bytes : '<!DOCTYPE html><html><title>Sign in | Slack</title></html>');
}

async function respond(
  { api, ledger }: Outside,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const given: unknown = JSON.parse((await readBody(request)).toString());
  const values = isRecord(given) ? given : {};
  const call = ledger.add({ at: api.clock.now(), method: 'response_url', channel: null, values, isViolation: false });
  try {
    answerAt(api, api.tickets.use(path), values);
    call.came = 'ok';
    send(response, 200, { ok: true });
  } catch (error) {
    const refusal = error instanceof Refusal ? error : refuse('fatal_error');
    call.came = refusal.message;
    send(response, 404, { ok: false, error: refusal.message });
  }
}

/** Also what a command's acknowledgement carries. */
export function answerAt(api: Api, place: Place, given: Readonly<Record<string, unknown>>): void {
  const { channel, user, message } = place;
  const text = typeof given['text'] === 'string' ? given['text'] : '';
  const blocks = readBlocks(given['blocks'] ?? null);
  if (given['delete_original'] === true && message) {
    remove(api, message);
    return;
  }
  if (text === '' && blocks === null) throw refuse('no_text');
  if (given['replace_original'] === true && message) {
    change(api, message, { text, blocks: blocks ?? [], editedTs: api.world.nextTs() });
    return;
  }
  const threadTs = typeof given['thread_ts'] === 'string' ? given['thread_ts'] : null;
  const ephemeralTo = given['response_type'] === 'in_channel' ? null : user;
  const { bot } = api.world;
  post(api, { channel, user: bot.id, isApps: true, text, blocks: blocks ?? [], threadTs, ephemeralTo });
}
