// A program that speaks the wire format of `opencode serve` 1.18.
import { chmodSync } from 'node:fs';
import { givenFolder, put } from '../attempts/given.js';

/**
 * `turn` runs once the prompt has come, with what a server does: `tell` and `raw` for events, `ask` for a permission,
 * `bash` for a whole command, `say`, `usage`, `idle`, and `mark` to leave a trace in the file `done`. `changed` answers
 * calls otherwise: by method and path, with a status and a body, or null for silence.
 */
export function fakeOpencode(turn: string, more = ''): string {
  const source = `#!${process.execPath}
const { appendFileSync } = require('node:fs');
const mark = (what) => appendFileSync('done', what + '\\n');
const own = 'ses_1';
let stream = null;
let count = 0;
const raw = (text) => stream.write(text);
const tell = (type, properties) => raw('data: ' + JSON.stringify({ id: 'evt_' + count++, type, properties }) + '\\n\\n');
const part = (part, sessionID = own) => tell('message.part.updated', { sessionID, part: { id: 'prt_' + count, messageID: 'msg_' + sessionID, sessionID, ...part } });
const begin = (sessionID = own) => tell('message.updated', { sessionID, info: { id: 'msg_' + sessionID, sessionID, role: 'assistant' } });
const say = (text, sessionID) => part({ type: 'text', text, time: { start: 1, end: 2 } }, sessionID);
const usage = (input, output, reason = 'tool-calls', more = {}) => part({ type: 'step-finish', reason, cost: 0, tokens: { input, output, reasoning: 0, cache: { read: 0, write: 0 } }, ...more });
const idle = (sessionID = own) => tell('session.idle', { sessionID });
const tool = (name, callID, status, input, sessionID = own, more = {}) => part({ id: 'prt_' + callID, type: 'tool', tool: name, callID, state: { status, input, ...more } }, sessionID);
const waiting = new Map();
const ask = (id, permission, metadata, { callID = 'c' + id, tool: name = permission, input = metadata, sessionID = own, patterns = ['*'] } = {}) => new Promise((resolve) => {
  waiting.set('per_' + id, resolve);
  tool(name, callID, 'pending', {}, sessionID);
  tell('permission.asked', { id: 'per_' + id, sessionID, permission, patterns, metadata, always: [], tool: { messageID: 'msg_' + sessionID, callID } });
  tool(name, callID, 'running', input, sessionID);
});
const bash = async (id, command, { sessionID = own, ...input } = {}) => {
  const { reply, message } = await ask(id, 'bash', { command: ':; ' + command }, { sessionID, input: { command, ...input } });
  mark(reply + (message ? ' ' + message : '') + (sessionID === own ? '' : ' ' + sessionID));
  if (reply === 'once') mark('ran ' + command);
  tool('bash', 'c' + id, reply === 'once' ? 'completed' : 'error', { command }, sessionID);
};
const done = () => { say('STATUS: done\\nSUMMARY: It is there.'); usage(1, 1, 'stop'); idle(); };
let run = async () => { ${turn} };
let changed = {};
let patience = null;
${more}
if (process.argv[2] === 'serve') serve();
function serve() {
  const server = require('node:http').createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { method, url } = request;
    appendFileSync('heard', JSON.stringify({ method, url, body: text === '' ? null : JSON.parse(text) }) + '\\n');
    const password = Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString();
    const json = (status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(body === undefined ? '' : JSON.stringify(body));
    const other = changed[method + ' ' + url];
    if (other !== undefined) return other === null ? undefined : json(...other);
    if (password !== 'opencode:' + process.env.OPENCODE_SERVER_PASSWORD) return json(401);
    if (url === '/event') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      return tell('server.connected', {});
    }
    if (method === 'POST' && url === '/session') return json(200, { id: own });
    if (method === 'PATCH') return url === '/session/ses_0' ? json(404, { name: 'NotFoundError' }) : json(200, { id: url.slice(9) });
    if (url.endsWith('/prompt_async')) { json(204); begin(); return void run(); }
    // Marked before the answer: Bosun ends the program at once after it.
    if (url.endsWith('/abort')) { mark('aborted'); json(200, true); return idle(); }
    const [, id] = /^\\/permission\\/(\\w+)\\/reply$/.exec(url) ?? [];
    if (id === undefined) return json(404);
    const answer = waiting.get(id);
    if (answer === undefined) return json(404, { _tag: 'PermissionNotFoundError', requestID: id });
    waiting.delete(id);
    json(200, true);
    const body = JSON.parse(text);
    tell('permission.replied', { sessionID: own, requestID: id, reply: body.reply });
    answer(body);
  });
  server.listen(0, '127.0.0.1', () => console.log('opencode server listening on http://127.0.0.1:' + server.address().port));
}
`;
  const path = put(givenFolder(), 'opencode.cjs', source);
  chmodSync(path, 0o755);
  return path;
}
