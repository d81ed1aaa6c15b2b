// A program that speaks the wire format of the Agent Client Protocol.
import { chmodSync } from 'node:fs';
import { givenFolder, put } from '../attempts/given.js';

export interface FakeAgent {
  /** Runs at the prompt of the work, with what an agent does: `say`, `tell`, `call`, `permit`, `ask`, `end`, `raw`. */
  readonly turn: string;
  /** What it does at the trial's prompt, which names the file that it is to `touch`. */
  readonly trial?: keyof typeof trials;
  /** Further declarations; `changed` replaces answers by their method. */
  readonly more?: string;
}

const trials = {
  obedient: `if (await permit('execute', { command: 'touch ' + marker })) touch(marker); end();`,
  rash: `touch(marker); end();`,
  disobedient: `await permit('execute', { command: 'touch ' + marker }); touch(marker); end();`,
  evasive: `await permit('read', { path: '/etc/passwd' }); await ask('elicitation/create', { mode: 'url' }); end();`,
  idle: `say('I would rather not.'); end();`,
};

export function acpAgent({ turn, trial = 'obedient', more = '' }: FakeAgent): string {
  const source = `#!${process.execPath}
const { appendFileSync, writeFileSync } = require('node:fs');
const raw = (line) => process.stdout.write(line + '\\n');
const send = (message) => raw(JSON.stringify({ jsonrpc: '2.0', ...message }));
const update = (fields, sessionId = 's-1') => send({ method: 'session/update', params: { sessionId, update: fields } });
const mark = (what) => appendFileSync('done', (typeof what === 'string' ? what : JSON.stringify(what)) + '\\n');
const touch = (name) => writeFileSync(name, '');
const waiting = new Map();
let count = 0;
const ask = (method, params, id = 'a' + count++) => new Promise((resolve) => {
  waiting.set(id, resolve);
  send({ id, method, params: { sessionId: 's-1', ...params } });
});
const options = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Once', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
  { optionId: 'never', name: 'Never', kind: 'reject_always' },
];
const answerTo = (kind, rawInput, rest) => ask('session/request_permission', { toolCall: { toolCallId: 'c' + count, kind, title: 'a ' + kind, rawInput, ...rest?.toolCall }, options: rest?.options ?? options });
const permit = async (kind, rawInput, rest) => (await answerTo(kind, rawInput, rest)).outcome?.optionId === 'once';
const say = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const call = (fields) => update({ sessionUpdate: 'tool_call', toolCallId: 't-1', title: 'a call', ...fields });
let prompted = null;
const end = (stopReason = 'end_turn', rest = {}) => send({ id: prompted, result: { stopReason, ...rest } });
let cancelled = () => end('cancelled');
const begin = async (text) => {
  const marker = /touch (\\S+?)\`/.exec(text)?.[1];
  if (marker !== undefined) { appendFileSync('trials', marker + '\\n'); ${trials[trial]} return; }
  ${turn}
};
${more}
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk;
  const lines = text.split('\\n');
  text = lines.pop();
  for (const line of lines) take(JSON.parse(line));
});
process.stdin.on('end', () => process.exit(0));
const reply = (id, result) => send({ id, result });
function take(message) {
  appendFileSync('heard', JSON.stringify(message) + '\\n');
  const { id, method, params } = message;
  if (method === undefined) { waiting.get(id)?.(message.result ?? message.error); waiting.delete(id); return; }
  const own = answers[method];
  if (own) own(id, params);
}
const answers = {
  initialize: (id) => reply(id, { protocolVersion: 1, agentInfo: { name: 'fake', version: '1.2' }, agentCapabilities: { loadSession: true, sessionCapabilities: {} }, authMethods: [] }),
  'session/new': (id) => reply(id, { sessionId: 's-1' }),
  'session/load': (id, { sessionId }) => { update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'of old' } }, sessionId); reply(id, {}); },
  'session/prompt': (id, { prompt }) => { prompted = id; begin(prompt[0].text); },
  'session/cancel': () => cancelled(),
  ...(typeof changed === 'undefined' ? {} : changed),
};
`;
  const path = put(givenFolder(), 'agent.cjs', source);
  chmodSync(path, 0o755);
  return path;
}
