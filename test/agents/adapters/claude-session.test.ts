// A conversation with a program that speaks Claude Code's lines of JSON, and a Bosun that answers it.
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openClaude } from '../../../src/agents/adapters/claude/session.js';
import { attemptRunner, codingAgents } from '../../../src/agents/index.js';
import { givenControl, givenFolder, givenSpec, put } from '../attempts/given.js';
import { type AskedBosun, bosunThatAnswers } from './fake-app-server.js';
import { claudeProgram } from './fake-claude.js';
import { agentConfig, agentSeat, around } from './given-agent.js';

interface Given {
  readonly turn: string;
  readonly answer?: (asked: AskedBosun) => Readonly<Record<string, unknown>> | null;
  /** What a person says while it works. */
  readonly says?: string;
}

async function attempt({ turn, answer = () => null, says }: Given) {
  const heard: unknown[] = [];
  const words = ({ body }: AskedBosun) => {
    if (body['heard'] !== null) heard.push(body['heard']);
    return body['heard'] === null && says !== undefined ? { state: 'words', key: 'k1', text: says, by: 'ada' } : null;
  };
  const { url, asked } = await bosunThatAnswers(answer, words);
  const spec = givenSpec({ executor: agentConfig('claude', { program: claudeProgram(turn) }), url });
  const run = attemptRunner({ agents: codingAgents, entry: '/opt/bosun/main.js' });
  const envelope = await run(spec, givenControl());
  const path = join(spec.workdir, 'done');
  return { envelope, asked, heard, done: existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [] };
}

const isPermission = ({ path }: AskedBosun) => path === '/agent/permission';

describe('a permission', () => {
  it('is put to a person, and the answer reaches the call that waits', async () => {
    const turn = `mark((await ask('r1', 'git push')).behavior); mark(await ask('r2', 'rm x')); end();`;
    let count = 0;
    const answers = [{ state: 'allowed' }, { state: 'denied', by: 'ada', why: 'never' }];
    const answer = (one: AskedBosun) => (isPermission(one) ? (answers[count++] ?? null) : null);
    const { envelope, asked, done } = await attempt({ turn, answer });
    expect(envelope).toMatchObject({ exit: 0, fault: null, asks: [], costUsd: 0.5 });
    expect(asked.filter(isPermission).map(({ body }) => body['input'])).toEqual([
      { command: 'git push' },
      { command: 'rm x' },
    ]);
    expect(done).toEqual(['allow', '{"behavior":"deny","message":"Refused by ada: never"}']);
  });

  it('that nobody answers is refused, and keeps the step from passing once', async () => {
    const turn = `mark((await ask('r1', 'git push')).behavior); end('STATUS: done', { permission_denials: [{ tool_name: 'Bash', tool_use_id: 't-r1', tool_input: { command: 'git push' } }] });`;
    const { envelope, done } = await attempt({
      turn,
      answer: (one) => (isPermission(one) ? { state: 'expired' } : null),
    });
    expect(done).toEqual(['deny']);
    expect(envelope.asks).toMatchObject([{ kind: 'permission', permission: { tool: 'Bash', what: 'git push' } }]);
  });

  it('that Claude withdraws gets no answer', async () => {
    const turn = `ask('r1', 'git push').then(mark); send({ type: 'control_cancel_request', request_id: 'r1' }); await ask('r2', 'ls'); end();`;
    const answer = (one: AskedBosun) =>
      isPermission(one) && JSON.stringify(one.body).includes('ls') ? { state: 'allowed' } : null;
    const { envelope, done } = await attempt({ turn, answer });
    expect([envelope.fault, done]).toEqual([null, []]);
  });
});

describe('words to its turn', () => {
  it('are heard once Claude has taken them up', async () => {
    const turn = `heard = (said) => { mark(said.message.content[0].text.split('\\n')[1]); send({ ...said, isReplay: true }); setTimeout(end, 200); };`;
    const { envelope, heard, done } = await attempt({ turn, says: 'Use JWT' });
    expect([envelope.fault, done]).toEqual([null, ['Use JWT']]);
    expect(heard).toEqual([{ key: 'k1', is_heard: true }]);
  });

  it('that come in its last moment get a turn of their own', async () => {
    const turn = `heard = (said) => { end('STATUS: done\\nSUMMARY: first'); send({ ...said, isReplay: true }); end('STATUS: done\\nSUMMARY: second'); };`;
    const { envelope } = await attempt({ turn, says: 'Use JWT' });
    expect(envelope).toMatchObject({ exit: 0, fault: null, output: { keys: { SUMMARY: 'second' } } });
  });

  it('are not heard by a program that ends without them', async () => {
    const turn = `heard = () => { end(); process.exit(0); };`;
    const { heard } = await attempt({ turn, says: 'Use JWT' });
    expect(heard).not.toContainEqual({ key: 'k1', is_heard: true });
  });

  it('are not taken once the turn is over', async () => {
    const session = openClaude(agentSeat(agentConfig('claude')), around, { args: [], env: {}, input: 'Do it.' });
    const sent: string[] = [];
    session.begin({ send: (line) => sent.push(line), close: () => undefined, emit: () => undefined });
    session.read('{"type":"result","subtype":"success","is_error":false,"result":"x"}');
    const before = sent.length;
    expect(await session.steer?.('Use JWT')).toBe(false);
    expect(sent).toHaveLength(before);
  });
});

describe('what is no conversation', () => {
  it('a program that stays silent ends with a fault, and one that speaks has all the time of its attempt', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const events: unknown[] = [];
    const begun = () => {
      const session = openClaude(agentSeat(agentConfig('claude')), around, { args: [], env: {}, input: 'x' });
      session.begin({ send: () => undefined, close: () => undefined, emit: (more) => void events.push(...more) });
      return session;
    };
    begun().read('{"type":"system","subtype":"init"}');
    vi.advanceTimersByTime(3_600_000);
    expect(events).toEqual([]);
    begun();
    vi.advanceTimersByTime(120_000);
    expect(events).toMatchObject([{ type: 'stuck', fault: { code: 'agent_silent', remedy: 'ask' } }]);
  });

  it('a request that Bosun does not know is refused, and the turn goes on', async () => {
    const { envelope, done } = await attempt({ turn: `mark(await ask('r1', '', { subtype: 'mcp_message' })); end();` });
    expect(envelope.fault).toBeNull();
    expect(done[0]).toContain('Bosun does not answer this request');
  });

  it('a Claude Code that takes no lines of JSON gets its prompt once, in the same attempt', async () => {
    const old = put(
      givenFolder(),
      'old.cjs',
      `#!${process.execPath}
if (process.argv.includes('--input-format=stream-json')) { console.error("error: unknown option '--input-format=stream-json'"); process.exit(1); }
const prompt = require('node:fs').readFileSync(0, 'utf8');
for (const one of [{ type: 'system', subtype: 'init', session_id: 'abc-1' }, { type: 'result', subtype: 'success', is_error: false, result: 'STATUS: done\\nSUMMARY: ' + prompt.slice(0, 6) }]) console.log(JSON.stringify(one));
`,
    );
    chmodSync(old, 0o755);
    const { url } = await bosunThatAnswers(() => null);
    const run = attemptRunner({ agents: codingAgents, entry: '/opt/bosun/main.js' });
    const envelope = await run(givenSpec({ executor: agentConfig('claude', { program: old }), url }), givenControl());
    expect(envelope).toMatchObject({ exit: 0, fault: null, output: { keys: { SUMMARY: 'Do it.' } } });
  });
});
