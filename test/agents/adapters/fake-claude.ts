// A program that speaks Claude Code's lines of JSON.
import { chmodSync } from 'node:fs';
import { givenFolder, put } from '../attempts/given.js';

/** `turn` runs once the prompt has come: `ask` gives the answer to a request, `end` ends the turn, `mark` leaves a trace. */
export function claudeProgram(turn: string): string {
  const source = `#!${process.execPath}
const { appendFileSync } = require('node:fs');
const args = process.argv.slice(2);
const raw = (line) => process.stdout.write(line + '\\n');
const send = (message) => raw(JSON.stringify(message));
const mark = (what) => appendFileSync('done', (typeof what === 'string' ? what : JSON.stringify(what)) + '\\n');
const waiting = new Map();
const ask = (id, command, more = {}) => new Promise((resolve) => {
  waiting.set(id, resolve);
  send({ type: 'control_request', request_id: id, request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command }, tool_use_id: 't-' + id, ...more } });
});
const end = (text = 'STATUS: done', more = {}) => {
  send({ type: 'assistant', message: { id: 'm1', model: 'small', content: [{ type: 'text', text }] } });
  send({ type: 'result', subtype: 'success', is_error: false, result: text, total_cost_usd: 0.5, ...more });
};
let heard = () => undefined;
const begin = async (prompt) => { ${turn} };
let isBegun = false;
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk;
  const lines = text.split('\\n');
  text = lines.pop();
  for (const line of lines) take(JSON.parse(line));
});
process.stdin.on('end', () => process.exit(0));
function take(message) {
  if (message.type === 'control_response') return waiting.get(message.response.request_id)?.(message.response.response ?? message.response);
  if (message.type === 'control_request') return;
  if (isBegun) return heard(message);
  isBegun = true;
  send({ type: 'system', subtype: 'init', session_id: 'abc-1', model: 'small', claude_code_version: '9.9' });
  begin(message.message.content[0].text);
}
`;
  const path = put(givenFolder(), 'claude.cjs', source);
  chmodSync(path, 0o755);
  return path;
}
