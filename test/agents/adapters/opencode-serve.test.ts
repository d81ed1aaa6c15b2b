// `opencode serve` as an attempt: what it asks reaches Bosun, what Bosun answers reaches it, and whatever else it says
// ends in a clear fault.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { pluginHook } from '../../../src/agents/adapters/opencode/hook-plugin.js';
import { foreignCodeIn } from '../../../src/agents/adapters/opencode/serve/checkout.js';
import { EventSplitter, ServeClient } from '../../../src/agents/adapters/opencode/serve/client.js';
import { openServe } from '../../../src/agents/adapters/opencode/serve/session.js';
import { ruleset, servePermissions } from '../../../src/agents/adapters/opencode/settings.js';
import type { AgentEvent, SessionHost } from '../../../src/agents/adapters/port.js';
import { attemptRunner, codingAgents } from '../../../src/agents/index.js';
import type { Envelope } from '../../../src/engine/index.js';
import type { AgentConfig } from '../../../src/jobs/agent-config.js';
import type { AttemptSpec } from '../../../src/jobs/attempt-spec.js';
import { leavePipe } from '../../leave-pipe.js';
import { type GivenControl, givenControl, givenFolder, givenSpec, put } from '../attempts/given.js';
import { type AskedBosun, bosunThatAnswers } from './fake-app-server.js';
import { fakeOpencode } from './fake-opencode.js';
import { agentConfig, agentSeat, around } from './given-agent.js';

const run = attemptRunner({ agents: codingAgents, entry: '/opt/bosun/main.js' });

interface Given {
  readonly turn: string;
  readonly more?: string;
  readonly answer?: (asked: AskedBosun) => Readonly<Record<string, unknown>> | null;
  readonly words?: Given['answer'];
  readonly config?: Partial<AgentConfig>;
  readonly spec?: Partial<AttemptSpec>;
  readonly control?: GivenControl;
  /** Puts files into the checkout. */
  readonly prepare?: (workdir: string) => void;
}

interface Done {
  readonly envelope: Envelope;
  readonly asked: readonly AskedBosun[];
  /** What the turn left in the file `done`. */
  readonly done: readonly string[];
  /** What the server heard from Bosun. */
  readonly heard: readonly z.infer<typeof call>[];
}

const call = z.object({
  method: z.string(),
  url: z.string(),
  body: z.record(z.string(), z.unknown()).nullable(),
});

async function attempt(given: Given): Promise<Done> {
  const { turn, more = '', answer = () => null, words, config, spec, control = givenControl(), prepare } = given;
  const { url, asked } = await bosunThatAnswers(answer, words);
  const executor = agentConfig('opencode', { program: fakeOpencode(turn, more), ...config });
  const whole = givenSpec({ executor, url, ...spec });
  prepare?.(whole.workdir);
  const envelope = await run(whole, control);
  const lines = (name: string) => {
    const path = join(whole.workdir, name);
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  };
  return { envelope, asked, done: lines('done'), heard: lines('heard').map((line) => call.parse(JSON.parse(line))) };
}

it('subscribes again when the first connections reach a dying server', async () => {
  let connections = 0;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"type":"server.connected"}\n\n');
  });
  server.on('connection', (socket) => {
    connections += 1;
    if (connections <= 2) socket.resetAndDestroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const client = new ServeClient({ url: `http://127.0.0.1:${address.port}`, password: 'p', patienceMs: 10_000 });
  onTestFinished(() => {
    client.close();
    server.close();
    server.closeAllConnections();
  });
  const told: unknown[] = [];
  const listener = { tell: (event: unknown) => told.push(event), broken: told.push.bind(told), ended: () => undefined };
  expect(await client.subscribe(listener)).toEqual({ kind: 'done', body: null });
  await expect.poll(() => told).toEqual([{ type: 'server.connected' }]);
  expect(connections).toBe(3);
});

const decided = `await bash(1, 'git commit -m one'); done();`;

describe('a turn of opencode serve', () => {
  it('leaves its report, its session and what it used, also by the agents that it starts', async () => {
    const control = givenControl();
    const prices = { input: 1, cached: 0, output: 2 };
    const turn = `begin('ses_2'); part({ id: 'prt_x', type: 'step-finish', reason: 'stop', cost: 0, tokens: { input: 1e6, output: 0 } }, 'ses_2'); say('helper', 'ses_2'); idle('ses_2');
      for (const n of [1, 2]) part({ id: 'prt_y', type: 'step-finish', reason: 'tool-calls', cost: 0, tokens: { input: 1e6, output: 1e6 - 1 } });
      tool('read', 'r', 'running', { filePath: 'src/a.ts' }); usage(0, 0); say('STATUS: done\\nSUMMARY: It is there.'); usage(0, 1, 'stop'); idle();`;
    const { envelope, heard } = await attempt({ turn, control, config: { prices, model: 'local/some/small' } });
    expect(envelope).toMatchObject({
      ...{ exit: 0, killed: null, fault: null, session: 'opencode:ses_1', program: 'opencode local/some/small' },
      ...{ reports: true, asks: [], costUsd: 4, tokensIn: 2_000_000, tokensOut: 1_000_000 },
      output: { keys: { STATUS: 'done', SUMMARY: 'It is there.' } },
    });
    expect(control.seen).toContainEqual({ type: 'action', text: 'read src/a.ts' });
    const prompt = heard.find(({ url }) => url === '/session/ses_1/prompt_async')?.body;
    expect(prompt).toMatchObject({ model: { providerID: 'local', modelID: 'some/small' } });
    expect(JSON.stringify(prompt)).toMatch(/Do it\..*`ask_human`/);
  });

  it('goes on with its session, and begins a fresh one where that is gone', async () => {
    const again = await attempt({ turn: 'done();', spec: { resume: { session: 'opencode:ses_1', prompt: 'Go on.' } } });
    expect(again.envelope).toMatchObject({ fault: null, session: 'opencode:ses_1' });
    expect(again.heard.map(({ method, url }) => `${method} ${url}`)).toContain('PATCH /session/ses_1');
    expect(JSON.stringify(again.heard.at(-1))).toContain('Go on.');
    const gone = await attempt({ turn: 'done();', spec: { resume: { session: 'opencode:ses_0', prompt: 'Go on.' } } });
    expect(gone.envelope).toMatchObject({ fault: null, session: 'opencode:ses_1' });
    expect(JSON.stringify(gone.heard.at(-1))).toContain('Do it.');
  });

  it('is stopped at the budget in mid-turn', async () => {
    const turn = `for (const n of [1, 2, 3]) usage(1e6, 0);`;
    const prices = { input: 1, cached: 0, output: 2 };
    const { envelope, done } = await attempt({ turn, config: { prices }, spec: { spendUsd: 2 } });
    expect(envelope).toMatchObject({ killed: 'budget', fault: null, costUsd: 3, session: 'opencode:ses_1' });
    expect(done).toEqual(['aborted']);
  });

  it('that waits for its provider is stopped at the fourth try', async () => {
    const turn = `for (const attempt of [1, 2, 3, 4, 5]) tell('session.status', { sessionID: own, status: { type: 'retry', attempt, message: 'Rate limit reached' } });`;
    const { envelope } = await attempt({ turn });
    expect(envelope.fault).toMatchObject({ code: 'rate_limited', remedy: 'wait' });
  });

  it('that failed has its cause', async () => {
    const turn = `tell('session.error', { sessionID: own, error: { name: 'APIError', data: { message: 'Incorrect API key provided', statusCode: 401 } } }); idle();`;
    expect((await attempt({ turn })).envelope.fault).toMatchObject({ code: 'not_logged_in', remedy: 'ask' });
  });
});

describe('words of a person', () => {
  it('reach its running session, and Bosun is told', async () => {
    const heard: unknown[] = [];
    const words = ({ body }: AskedBosun) => {
      if (body['heard'] === null) return { state: 'words', key: 'k1', text: 'Use JWT', by: 'ada' };
      heard.push(body['heard']);
      return null;
    };
    const turn = `prompts += 1; if (prompts === 2) setTimeout(done, 200);`;
    const given = await attempt({ turn, more: 'let prompts = 0;', words });
    const prompts = given.heard.filter(({ url }) => url === '/session/ses_1/prompt_async');
    expect(prompts).toHaveLength(2);
    expect(JSON.stringify(prompts[1]?.body)).toContain('ada says, while you work:\\nUse JWT');
    expect(heard).toEqual([{ key: 'k1', is_heard: true }]);
    expect(given.envelope).toMatchObject({ exit: 0, fault: null });
  });
});

describe('a permission of OpenCode', () => {
  it.each([
    ['allowed', { state: 'allowed', by: 'ada' }, ['once', 'ran git commit -m one']],
    ['denied', { state: 'denied', by: 'ada', why: 'not on Fridays' }, ['reject Refused by ada: not on Fridays']],
    ['expired', { state: 'expired' }, [expect.stringMatching(/^reject .+/)]],
  ] as const)('that is %s reaches the agent as such', async (_, state, told) => {
    const { asked, done, envelope } = await attempt({ turn: decided, answer: () => state });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      path: '/agent/permission',
      body: { tool: 'bash', input: { command: 'git commit -m one', cwd: expect.stringMatching(/^\//) } },
    });
    expect(done).toEqual(told);
    const { asks = [] } = envelope;
    // No person decided: one still has to, before the step may pass.
    expect(asks).toHaveLength(state.state === 'expired' ? 1 : 0);
  });

  it('of an agent that the agent started is asked for, too', async () => {
    const turn = `tell('session.created', { sessionID: 'ses_2', info: { id: 'ses_2', parentID: own } }); begin('ses_2');
      await bash(7, 'id', { sessionID: 'ses_2' }); done();`;
    const { asked, done } = await attempt({ turn, answer: () => ({ state: 'allowed' }) });
    expect(asked).toMatchObject([{ body: { tool: 'bash', input: { command: 'id' } } }]);
    expect(done).toEqual(['once ses_2', 'ran id']);
  });

  it('is given by Bosun’s rules where they cover it, in the folder of the work alone', async () => {
    const turn = `for (const [id, line] of ['npm test', 'npm test && rm x', 'git log -1', 'git log; id'].entries()) await bash(id, line);
      await bash(9, 'npm test', { workdir: '/tmp' }); done();`;
    const spec = { tests: { run: 'npm test', format: 'auto' } };
    const { asked, done } = await attempt({
      ...{ turn, spec, config: { tools: ['Bash(git log:*)'] } },
      answer: () => ({ state: 'denied' }),
    });
    expect(asked.map(({ body }) => body['input'])).toMatchObject([
      { command: 'npm test && rm x' },
      { command: 'git log; id' },
      { command: 'npm test', cwd: '/tmp' },
    ]);
    expect(done.filter((line) => line.startsWith('ran'))).toEqual(['ran npm test', 'ran git log -1']);
  });

  it('for an edit is given inside the folder of the work, and asked for elsewhere with the whole patch', async () => {
    const turn = `const edit = async (id, filepath) => mark((await ask(id, 'edit', { filepath, diff: '+evil' }, { tool: 'write', input: { filePath: filepath } })).reply);
      const here = process.cwd();
      for (const [id, path] of ['/src/a.ts', '/.git/hooks/pre-commit', '/.opencode/plugin/x.js', '/opencode.json', '/link/x'].entries()) await edit(id, here + path);
      done();`;
    const { asked, done } = await attempt({
      ...{ turn, answer: () => ({ state: 'denied' }) },
      prepare: (workdir) => symlinkSync('/etc', join(workdir, 'link')),
    });
    expect(done).toEqual(['once', 'reject', 'reject', 'reject', 'reject']);
    expect(asked[0]?.body).toMatchObject({ tool: 'edit', input: { changes: expect.stringContaining('\n+evil') } });
  });

  it('for a folder outside is one card with the command that wants it', async () => {
    const turn = `const outside = ask(1, 'external_directory', { command: ':; touch /tmp/x', directories: ['/tmp'] }, { callID: 'c2', tool: 'bash', input: { command: 'touch /tmp/x' } });
      mark((await outside).reply); await bash(2, 'touch /tmp/x');
      mark((await ask(3, 'external_directory', { filepath: '/etc/passwd' }, { tool: 'read', input: { filePath: '/etc/passwd' } })).reply);
      done();`;
    const { asked, done } = await attempt({ turn, answer: () => ({ state: 'denied' }) });
    expect(asked.map(({ body }) => body['tool'])).toEqual(['bash', 'external_directory']);
    expect(done).toEqual(['once', expect.stringMatching(/^reject/), 'reject']);
  });

  it('under deny is refused unless a rule covers it, and the model goes on', async () => {
    const turn = `await bash(1, 'npm test'); await bash(2, 'git push'); done();`;
    const spec = { tests: { run: 'npm test', format: 'auto' } };
    const { asked, done, envelope } = await attempt({ turn, spec, config: { permission: 'deny' } });
    expect(asked).toEqual([]);
    expect(done).toEqual(['once', 'ran npm test', expect.stringMatching(/^reject .*Go on without it/)]);
    expect(envelope).toMatchObject({ fault: null, asks: [], warnings: [expect.stringContaining('bash was refused')] });
  });

  it('that OpenCode withdraws is not answered, nor is one after the end', async () => {
    const turn = `ask(1, 'bash', { command: ':; id' }, { input: { command: 'id' } });
      waiting.delete('per_1'); tell('permission.replied', { sessionID: own, requestID: 'per_1', reply: 'reject' });
      done(); ask(3, 'bash', { command: ':; late' }, { input: { command: 'late' } }).then(() => mark('answered'));`;
    const { done, heard, envelope } = await attempt({ turn, answer: () => null });
    expect(heard.filter(({ url }) => url.includes('/permission/'))).toEqual([]);
    expect(done).toEqual([]);
    expect(envelope.fault).toBeNull();
  });

  it('is not given while another program answers in Bosun’s place', async () => {
    const turn = `ask(1, 'bash', { command: ':; id' }, { input: { command: 'id' } }); tell('permission.replied', { sessionID: own, requestID: 'per_1', reply: 'always' }); done();`;
    expect((await attempt({ turn })).envelope.fault).toMatchObject({
      ...{ code: 'bad_protocol', message: expect.stringContaining('a permission that Bosun did not give') },
    });
  });

  it('answers a late answer of a person with nothing, and goes on', async () => {
    const turn = `const asked = ask(1, 'bash', { command: ':; id' }, { input: { command: 'id' } }); waiting.delete('per_1'); setTimeout(done, 300);`;
    const { envelope, heard } = await attempt({ turn, answer: () => ({ state: 'allowed' }) });
    expect(heard.filter(({ url }) => url === '/permission/per_1/reply')).toHaveLength(1);
    expect(envelope.fault).toBeNull();
  });

  it('of a cancelled attempt is not answered', async () => {
    const control = givenControl();
    const answer = () => {
      control.abort('cancel');
      return null;
    };
    const { envelope, done } = await attempt({ turn: decided, answer, control });
    expect(envelope.killed).toBe('cancel');
    expect(done.filter((line) => line !== 'aborted')).toEqual([]);
  });
});

describe('what is no conversation with OpenCode', () => {
  it.each([
    ['a request of another form', `tell('permission.asked', { id: '../../session' });`, /another form/],
    ['a command asked without the plugin', `ask(1, 'bash', { command: 'id' });`, /ask-first\.js did not see it/],
    [
      'another command than the call',
      `ask(1, 'bash', { command: ':; id' }, { input: { command: 'ls' } });`,
      /ask-first/,
    ],
    ['a command that ran unasked', `tool('bash', 'c1', 'completed', { command: '> x' });`, /without asking/],
  ])('%s is a fault, not a pass', async (_, turn, why) => {
    const { envelope, done } = await attempt({ turn: `${turn} done();`, answer: () => ({ state: 'allowed' }) });
    expect(envelope.fault).toMatchObject({ code: 'bad_protocol', message: expect.stringMatching(why), remedy: 'ask' });
    expect(done).toEqual([]);
  });

  it.each([
    ['a stream that breaks off', `stream.destroy();`, '', 'cut_short'],
    ['an end in the middle of the turn', `say('STATUS: done'); idle();`, '', 'cut_short'],
    ['a wrong password', '', `process.env.OPENCODE_SERVER_PASSWORD = 'other';`, 'bad_protocol'],
    ['no stream of events', '', `changed = { 'GET /event': [200, {}] };`, 'bad_protocol'],
    ['a session without an id', '', `changed = { 'POST /session': [200, {}] };`, 'bad_protocol'],
    ['a prompt that is refused', '', `changed = { 'POST /session/ses_1/prompt_async': [500, {}] };`, 'bad_protocol'],
    [
      'a server that takes no answers',
      decided,
      `changed = { 'POST /permission/per_1/reply': [404, {}] };`,
      'bad_protocol',
    ],
    ['an answer that is refused', decided, `changed = { 'POST /permission/per_1/reply': [500, {}] };`, 'bad_protocol'],
  ])('%s is a fault', async (_, turn, more, code) => {
    const { envelope } = await attempt({ turn, more, answer: () => ({ state: 'allowed' }) });
    expect(envelope).toMatchObject({ killed: null, fault: { code } });
  });

  it('a line of 10 MB is read, and one of more than 16 MB is too long', () => {
    const long = (chars: number) => {
      const splitter = new EventSplitter();
      return [splitter.push(`data: ${'x'.repeat(chars)}`).length, splitter.isOver, splitter.push('\n\n').length];
    };
    expect(long(10e6)).toEqual([0, false, 1]);
    expect(long(17e6)[1]).toBe(true);
  });

  it.each([
    ['never listens', '', 30, /did not listen/],
    ['never answers', 'GET /event', 30, /GET \/event/],
    ['never opens a session', 'POST /session', 1000, /POST \/session/],
  ])('a server that %s is a fault after a while', async (_, silent, patienceMs, why) => {
    const url = await serverThatIsSilentAt(silent);
    const session = openServe(agentSeat(agentConfig('opencode')), around, patienceMs);
    const events = await new Promise<readonly AgentEvent[]>((heard) => {
      const host: SessionHost = {
        send: () => undefined,
        close: () => undefined,
        emit: (some) => (some.length > 0 ? heard(some) : undefined),
      };
      session.begin(host);
      if (silent !== '') session.read(`opencode server listening on ${url}`);
    });
    session.end(null, '');
    const [{ fault } = { fault: null }] = events.flatMap((event) => (event.type === 'stuck' ? [event] : []));
    expect(fault).toMatchObject({ remedy: 'ask' });
    expect(fault?.message).toMatch(why);
  });

  it('an OpenCode without serve runs as `opencode run`, and says that it could not ask', async () => {
    const more = `if (process.argv[2] === 'serve') { console.error('Error: Failed to change directory to /work/serve'); process.exit(1); }
      const line = (type, part) => console.log(JSON.stringify({ type, sessionID: 'ses_9', part }));
      line('step_start', {}); line('text', { text: 'STATUS: done' }); line('step_finish', { reason: 'stop', tokens: {} });`;
    const { envelope } = await attempt({ turn: '', more });
    expect(envelope).toMatchObject({ fault: null, session: 'opencode:ses_9' });
    expect(envelope.warnings).toContainEqual(expect.stringContaining('could not ask a person for permission'));
    const chosen = await attempt({ turn: '', more, config: { own: { mode: 'run' } } });
    expect(chosen.envelope).toMatchObject({ fault: null, session: 'opencode:ses_9' });
  });
});

/** It opens the stream of events where that is not what it leaves unanswered. */
async function serverThatIsSilentAt(call: string): Promise<string> {
  const server = createServer(({ method, url }, response) => {
    if (`${method} ${url}` !== call) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

describe('the settings of opencode serve', () => {
  const permissions = (changes: Partial<AgentConfig>, spec: Partial<AttemptSpec> = {}) =>
    servePermissions(agentSeat(agentConfig('opencode', changes), spec));

  it('let everything ask that is not named, and nothing that Bosun answers be opened', () => {
    expect(permissions({ tools: ['webfetch', 'bash', 'Bash(git log:*)'] })).toMatchObject({
      ...{ '*': 'ask', bash: 'ask', edit: 'ask', webfetch: 'allow', bosun_permission_prompt: 'deny' },
      external_directory: { '*': 'ask', '/work/demo/**': 'allow' },
    });
    expect(permissions({}, { access: 'read' })).toMatchObject({ bash: 'deny', edit: { '*': 'deny', '.ai/*': 'ask' } });
    expect(permissions({ permission: 'bypass' })).toEqual({ '*': 'allow' });
  });

  it('are sent in an order in which the last that matches counts', () => {
    expect(ruleset({ '*': 'ask', read: { '*': 'allow', '*.env': 'ask' } })).toEqual([
      { permission: '*', pattern: '*', action: 'ask' },
      { permission: 'read', pattern: '*', action: 'allow' },
      { permission: 'read', pattern: '*.env', action: 'ask' },
    ]);
  });

  it('reach the program with a password of its own, and switch the project’s configuration off', () => {
    const open = (changes: Partial<AgentConfig>) =>
      openServe(agentSeat(agentConfig('opencode', changes)), around).launch.env;
    const [one, other] = [open({}), open({})];
    expect(one['OPENCODE_SERVER_PASSWORD']).toMatch(/^[\w-]{32}$/);
    expect(one['OPENCODE_SERVER_PASSWORD']).not.toBe(other['OPENCODE_SERVER_PASSWORD']);
    expect(one).toMatchObject({ OPENCODE_DISABLE_PROJECT_CONFIG: '1' });
    expect(JSON.parse(one['OPENCODE_CONFIG_CONTENT'] ?? '')).toMatchObject({
      ...{ lsp: false, formatter: false, plugin: [expect.stringMatching(/^file:.*ask-first\.js$/)] },
      experimental: { continue_loop_on_deny: true },
    });
    expect(open({ permission: 'bypass' })).not.toHaveProperty('OPENCODE_DISABLE_PROJECT_CONFIG');
  });
});

describe('a checkout with plugins of its own', () => {
  const own = pluginHook.edit(null, { project: 'shop', call: { argv: ['/usr/bin/bosun', 'hook'] } }) ?? '';

  it.each([
    ['nothing', '.opencode/agent/build.md', 'x', false],
    ['the plugin of bosun hook', '.opencode/plugin/bosun.js', own, false],
    ['that plugin with a line more', '.opencode/plugin/bosun.js', `${own}evil();\n`, true],
    ['another plugin', '.opencode/plugins/x.ts', '', true],
    ['a plugin by name', 'opencode.jsonc', '{ "plugin": ["x"] }', true],
    ['a plugin by an escaped name', '.opencode/opencode.json', '{ "\\u0070lugin": ["x"] }', true],
    ['other settings', 'opencode.json', '{ "permission": "allow" }', false],
  ])('that brings %s', (_, path, text, isForeign) => {
    const folder = givenFolder();
    mkdirSync(join(folder, '.git'));
    mkdirSync(join(folder, 'packages'));
    put(folder, path, text);
    for (const at of [folder, join(folder, 'packages')]) {
      expect(foreignCodeIn(at)).toBe(isForeign ? join(folder, path) : null);
    }
  });

  it.each([
    ['a pipe', (path: string) => leavePipe(path, '{}')],
    ['a link to a folder', (path: string) => symlinkSync(givenFolder(), path)],
    ['more than 1 MB', (path: string) => writeFileSync(path, `{}${' '.repeat(1_100_000)}`)],
  ])('that brings %s where settings belong counts as foreign, and does not block', (_, leave) => {
    const folder = givenFolder();
    mkdirSync(join(folder, '.git'));
    leave(join(folder, 'opencode.json'));
    expect(foreignCodeIn(folder)).toBe(join(folder, 'opencode.json'));
  });

  it('is no place for ask, and one for bypass', async () => {
    const prepare = (workdir: string) => put(workdir, '.opencode/plugin/x.js', '');
    const { envelope, heard } = await attempt({ turn: 'done();', prepare });
    expect(envelope.fault).toMatchObject({ code: 'own_plugins', message: expect.stringContaining('plugin/x.js') });
    expect(heard).toEqual([]);
    const bypassed = await attempt({ turn: 'done();', prepare, config: { permission: 'bypass' } });
    expect(bypassed.envelope.fault).toBeNull();
  });
});
