// An agent over ACP as an attempt: what it asks is decided by Bosun's rules or a person, its files and terminals stay in
// the workspace, and whatever else it says ends in a clear fault.
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acp } from '../../../src/agents/adapters/acp/acp.js';
import { openAcp } from '../../../src/agents/adapters/acp/session.js';
import type { AgentEvent } from '../../../src/agents/adapters/port.js';
import { runProcess } from '../../../src/agents/index.js';
import { isAlive } from '../../../src/base/index.js';
import { givenControl, givenFolder, givenSpec, put } from '../attempts/given.js';
import { acpAgent } from './fake-acp-agent.js';
import { attempt } from './given-acp.js';
import { agentConfig, agentSeat, around } from './given-agent.js';

const pass = `say('STATUS: done\\n'); say('SUMMARY: It is there.'); end();`;
const push = `mark(await permit('execute', { command: 'git push' }));`;
const allowed = () => ({ state: 'allowed' });

describe('a turn over ACP', () => {
  it('leaves its report, its session and what it cost, and shows what it does', async () => {
    const control = givenControl();
    const turn = `call({ kind: 'execute', status: 'pending', rawInput: {} });
      update({ sessionUpdate: 'tool_call_update', toolCallId: 't-1', status: 'in_progress', rawInput: { command: 'npm test' } });
      update({ sessionUpdate: 'plan', entries: [{ content: 'Look', status: 'completed' }, { content: 'Build', status: 'pending' }] });
      update({ sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount: 0.5, currency: 'USD' } });
      ${pass.replace('end()', `end('end_turn', { usage: { inputTokens: 30, cachedReadTokens: 12, outputTokens: 7 } })`)}`;
    const { envelope, heard, folder } = await attempt({ turn, control });
    expect(envelope).toMatchObject({
      ...{ exit: 0, killed: null, fault: null, session: 'acp:s-1', program: 'fake 1.2', reports: true, asks: [] },
      ...{ costUsd: 0.5, tokensIn: 42, tokensOut: 7, warnings: [] },
      output: { keys: { STATUS: 'done', SUMMARY: 'It is there.' } },
    });
    expect(control.seen).toContainEqual({ type: 'action', text: 'Bash: npm test' });
    expect(readFileSync(envelope.logPath ?? '', 'utf8')).toContain('[plan] ✓ Look · Build');
    expect(heard.find(({ method }) => method === 'initialize')?.params).toMatchObject({
      protocolVersion: 1,
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        elicitation: { form: {} },
      },
    });
    const server = {
      name: 'bosun',
      command: process.execPath,
      args: ['/opt/bosun/main.js', 'mcp', '--no-permission-prompt'],
      env: expect.arrayContaining([{ name: 'BOSUN_HANDOFF_FILE', value: join(folder, '.ai', 'HANDOFF.md') }]),
    };
    const opened = heard.find(({ method }) => method === 'session/new')?.params;
    expect(opened).toMatchObject({ cwd: folder, mcpServers: [server] });
    const prompt = heard.find(({ method }) => method === 'session/prompt')?.params?.['prompt'];
    expect(JSON.stringify(prompt)).toMatch(/Do it\..*`ask_human`/);
  });

  it('records what commands printed, however the agent tells it, and nothing of other tools', async () => {
    const turn = `const over = (toolCallId, fields) => update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', ...fields });
      const block = (text) => ({ type: 'content', content: { type: 'text', text } });
      const fence = String.fromCharCode(96).repeat(3);
      call({ kind: 'execute', rawInput: { command: 'one' } });
      const shown = [block(fence + 'console\\n1 of 2 tests fail\\n' + fence)];
      update({ sessionUpdate: 'tool_call_update', toolCallId: 't-1', content: shown });
      over('t-1', { status: 'failed', rawOutput: { exit_code: 3 } }); over('t-1', { content: [block('again')] });
      call({ toolCallId: 't-2', kind: 'execute', rawInput: { command: 'two' } });
      over('t-2', { rawOutput: { stdout: 'x'.repeat(9000) + 'the end' } });
      const { terminalId } = await ask('terminal/create', { command: 'echo', args: ['from a terminal'] });
      call({ toolCallId: 't-3', kind: 'execute', rawInput: { command: 'echo' }, content: [{ type: 'terminal', terminalId }] });
      await ask('terminal/wait_for_exit', { terminalId }); await ask('terminal/release', { terminalId }); over('t-3', {});
      call({ toolCallId: 't-4', kind: 'read', rawInput: { path: 'a.txt' } }); over('t-4', { content: [block('the whole file')] });
      ${pass}`;
    const { envelope } = await attempt({ turn, answer: allowed });
    const log = readFileSync(envelope.logPath ?? '', 'utf8')
      .trim()
      .split('\n');
    const tool = log.map((line) => JSON.parse(line)).filter(({ s }) => s === 'tool');
    expect(tool.map(({ line }) => line.slice(0, 40))).toEqual([
      ...['1 of 2 tests fail', 'exit 3', '… (1007 characters before)', `${'x'.repeat(40)}`, 'from a terminal'],
    ]);
  });

  it('goes on with its session, and hears nothing of its past again', async () => {
    const { envelope, heard } = await attempt({
      turn: pass,
      spec: { resume: { session: 'acp:s-1', prompt: 'Go on.' } },
    });
    expect(envelope).toMatchObject({ fault: null, session: 'acp:s-1' });
    expect(envelope.output?.tail).not.toContain('of old');
    expect(heard.map(({ method }) => method)).toEqual(['initialize', 'session/load', 'session/prompt']);
    expect(JSON.stringify(heard.at(-1))).toContain('"text":"Go on."');
  });

  it('takes no word that comes after the end of its turn for its report', async () => {
    const turn = `say('STATUS: failing'); end(); say('STATUS: done'); update({ sessionUpdate: 'plan', entries: [] });`;
    expect((await attempt({ turn })).envelope.output.keys).toEqual({ STATUS: 'failing' });
  });

  it('begins a new session with the whole prompt where the one to go on with is gone', async () => {
    const more = `const changed = { 'session/load': (id) => send({ id, error: { code: -32002, message: 'no such session' } }) };`;
    const { envelope, heard } = await attempt({
      turn: pass,
      more,
      spec: { resume: { session: 'acp:s-0', prompt: 'Go on.' } },
    });
    expect(envelope).toMatchObject({ fault: null, session: 'acp:s-1' });
    expect(JSON.stringify(heard.at(-1))).toContain('Do it.');
  });

  it('sets the model that the executor names, and fails where the agent lacks it', async () => {
    const more = `const changed = {
      'session/new': (id) => reply(id, { sessionId: 's-1', configOptions: [{ id: 'm', name: 'Model', category: 'model', type: 'select', currentValue: 'big', options: [{ value: 'big', name: 'B' }, { value: 'small', name: 'S' }] }] }),
      'session/set_config_option': (id, params) => { mark(params); reply(id, { configOptions: [] }); } };`;
    const { done } = await attempt({ turn: pass, more, config: { model: 'small' } });
    expect(done).toEqual([JSON.stringify({ sessionId: 's-1', configId: 'm', value: 'small' })]);
    const other = await attempt({ turn: pass, more, config: { model: 'huge' } });
    expect(other.envelope.fault).toMatchObject({
      code: 'bad_arguments',
      message: expect.stringContaining('big, small'),
    });
  });
});

it('a program that stays after its input has closed, and is ended for it, has ended well', async () => {
  const end = await runProcess(
    {
      ...{ argv: [process.execPath, '-e', 'setInterval(() => 0, 1000)'], cwd: '/', env: {}, input: '' },
      ...{
        mark: `BOSUN_TOKEN=${'ab'.repeat(16)}`,
        attemptMark: null,
        timeoutMs: 15_000,
        killGraceMs: 100,
        now: () => performance.now(),
      },
    },
    {
      ...{ signal: new AbortController().signal, onStart: () => undefined, onText: () => undefined },
      ...{ onExpiring: () => undefined, onDeadline: () => undefined, onInput: (input) => input.close(50) },
    },
  );
  expect(end).toMatchObject({ exit: 0, killed: null, fault: null });
});

describe('a permission', () => {
  it.each([
    ['allowed', { state: 'allowed', by: 'ada' }, 'once'],
    ['denied', { state: 'denied', by: 'ada', why: 'not on Fridays' }, 'no'],
    ['expired', { state: 'expired' }, 'no'],
  ] as const)('that is %s reaches the agent as an option for once', async (_, state, option) => {
    const turn = `mark((await answerTo('execute', { command: 'git push', cwd: process.cwd() })).outcome.optionId); ${pass}`;
    const { asked, done, envelope } = await attempt({ turn, answer: () => state });
    expect(asked.map(({ body }) => body)).toMatchObject([
      { tool: 'shell', input: { command: 'git push', title: 'a execute', input: { command: 'git push' } } },
    ]);
    expect(done).toEqual([option]);
    expect(envelope.asks).toHaveLength(state.state === 'expired' ? 1 : 0);
  });

  it('that cannot be given for once only is never given', async () => {
    const turn = `mark((await answerTo('execute', { command: 'id' }, { options: options.filter(({ kind }) => kind !== 'allow_once') })).outcome);
      mark((await answerTo('execute', { command: 'id' }, { options: [options[0]] })).outcome); ${pass}`;
    const { asked, done, envelope } = await attempt({ turn, answer: allowed });
    expect(asked).toEqual([]);
    expect(done).toEqual([
      JSON.stringify({ outcome: 'selected', optionId: 'no' }),
      JSON.stringify({ outcome: 'cancelled' }),
    ]);
    expect(envelope.warnings).toContainEqual(expect.stringContaining('cannot be allowed only once'));
  });

  it('names what an earlier update told of its call, and none is put to a person that names nothing', async () => {
    const turn = `call({ kind: 'execute', rawInput: { command: 'rm -rf build' } });
      mark(await permit(undefined, undefined, { toolCall: { toolCallId: 't-1', title: null } }));
      mark(await permit(undefined, undefined, { toolCall: { toolCallId: 'new', title: null } })); ${pass}`;
    const { asked, done } = await attempt({ turn, answer: allowed });
    expect(asked.map(({ body }) => body)).toMatchObject([{ tool: 'shell', input: { command: 'rm -rf build' } }]);
    expect(done).toEqual(['true', 'false']);
  });

  it('is given by Bosun’s rules where they cover it, never against the step’s access, else by a person', async () => {
    const turn = `for (const [kind, input] of [['execute', { command: 'npm test' }], ['execute', { command: 'npm test && id' }], ['execute', { command: 'npm test', cwd: '/' }],
        ['edit', { file_path: 'src/a.ts' }], ['edit', { file_path: '.git/config' }], ['edit', { file_path: '../x' }]]) mark(await permit(kind, input)); ${pass}`;
    const given = { turn, answer: () => ({ state: 'denied' }), spec: { ownerLines: ['npm test'] } };
    const { asked, done } = await attempt(given);
    expect(done).toEqual(['true', 'false', 'false', 'true', 'false', 'false']);
    expect(asked).toHaveLength(4);
    const reading = await attempt({ ...given, answer: allowed, spec: { access: 'read' } });
    expect(reading.done).toEqual(['false', 'false', 'false', 'false', 'false', 'false']);
    expect(reading.asked).toEqual([]);
  });

  it.each([
    ['deny', 'false'],
    ['bypass', 'true'],
  ] as const)('under %s is settled without a person', async (permission, is) => {
    const { asked, done } = await attempt({ turn: `${push} ${pass}`, config: { permission }, answer: allowed });
    expect([done, asked]).toEqual([[is], []]);
  });

  it('to ask a person needs no card of its own', async () => {
    const turn = `for (const [kind, title] of [['other', 'mcp__bosun__ask_human'], ['execute', 'mcp__bosun__ask_human'], ['other', 'mcp__bosun__permission_prompt']])
      mark(await permit(kind, { x: 1 }, { toolCall: { toolCallId: kind + title, title } })); ${pass}`;
    const { asked, done } = await attempt({ turn, answer: () => ({ state: 'denied' }) });
    expect([done, asked.length]).toEqual([['true', 'false', 'false'], 2]);
  });

  it('that was refused is told in words where the agent ended its turn for it', async () => {
    const turn = `if (text.includes('not allowed')) { mark(text); ${pass} } else { await permit('execute', { command: 'git push' }); end(); }`;
    const { done, envelope } = await attempt({
      turn,
      answer: () => ({ state: 'denied', by: 'ada', why: 'not on Fridays' }),
    });
    expect(done).toEqual([expect.stringContaining('not on Fridays')]);
    expect(envelope).toMatchObject({ fault: null, output: { keys: { STATUS: 'done' } } });
  });

  it.each(['cancel', 'timeout'] as const)('that waits when the attempt ends by %s is cancelled', async (how) => {
    const turn = `say('begun'); update({ sessionUpdate: 'plan', entries: [] });
      answerTo('execute', { command: 'git push' }).then(({ outcome }) => mark(outcome.outcome));
      cancelled = () => { mark('cancelled turn'); end('cancelled'); };`;
    const control = givenControl((progress, own) => {
      if (how === 'cancel' && progress.type === 'text') own.abort('cancel');
    });
    const { envelope, done } = await attempt({
      turn,
      control,
      ...(how === 'timeout' ? { spec: { timeoutMs: 1_200 } } : {}),
    });
    expect(envelope).toMatchObject({ killed: how, session: 'acp:s-1' });
    expect(done).toEqual(expect.arrayContaining(['cancelled turn']));
    expect(done.filter((line) => !line.startsWith('cancelled'))).toEqual([]);
  });

  it('that is asked after the end of the turn, or of another session, is refused', async () => {
    const turn = `const other = await ask('session/request_permission', { sessionId: 's-2', toolCall: { toolCallId: 'x', title: 'x' }, options }); mark(other.code);
      ${pass} const late = await answerTo('execute', { command: 'id' }); mark(late.code);`;
    const { asked, done } = await attempt({ turn, answer: allowed });
    expect(asked).toEqual([]);
    expect(done[0]).toBe('-32600');
    expect(done[1] ?? '-32600').toBe('-32600');
  });

  it('that is long is bound to all of it by its hash', async () => {
    const turn = `for (const end of ['a', 'b']) await permit('edit', { file_path: '/etc/x', text: 'y'.repeat(20000) + end }); ${pass}`;
    const { asked } = await attempt({ turn, answer: () => ({ state: 'denied' }) });
    const [one, other] = asked.map(({ body }) => JSON.stringify(body['input']));
    expect(one?.length).toBeLessThan(12_000);
    expect(one).not.toBe(other);
  });
});

describe('a question', () => {
  it('of one field is put to a person with its options, and a larger form to nobody', async () => {
    const form = (properties: string) =>
      `{ mode: 'form', message: 'Up or down?', requestedSchema: { type: 'object', properties: ${properties} } }`;
    const turn = `mark(await ask('elicitation/create', ${form(`{ way: { type: 'string', oneOf: [{ const: 'u', title: 'Up' }, { const: 'd', title: 'Down' }] } }`)}));
      mark(await ask('elicitation/create', ${form(`{ a: { type: 'string' }, b: { type: 'number' } }`)})); ${pass}`;
    const { asked, done } = await attempt({ turn, answer: () => ({ state: 'answered', text: 'Up', by: 'ada' }) });
    expect(asked.map(({ path, body }) => [path, body['question'], body['options']])).toEqual([
      ['/agent/ask', 'Up or down?', ['Up', 'Down']],
    ]);
    expect(done.map((line) => JSON.parse(line))).toEqual([
      { action: 'accept', content: { way: 'u' } },
      { action: 'decline' },
    ]);
  });
});

describe('files', () => {
  it('are read and written in the workspace only, never through a link', async () => {
    const outside = givenFolder();
    put(outside, 'secret', 'of others');
    const spec = givenSpec();
    mkdirSync(join(spec.workdir, 'src'));
    put(spec.workdir, 'src/a.txt', 'one\ntwo\nthree\n');
    symlinkSync(join(outside, 'secret'), join(spec.workdir, 'link'));
    symlinkSync(outside, join(spec.workdir, 'folder'));
    const turn = `const here = process.cwd();
      mark((await ask('fs/read_text_file', { path: here + '/src/a.txt', line: 2, limit: 1 })).content);
      mark(await ask('fs/write_text_file', { path: here + '/src/new/b.txt', content: 'b' }));
      for (const path of [here + '/../x', '${outside}/secret', here + '/link', here + '/folder/secret', here + '/none']) {
        mark((await ask('fs/read_text_file', { path })).code);
        mark((await ask('fs/write_text_file', { path, content: 'evil' })).code ?? path.slice(here.length));
      } ${pass}`;
    const { done, asked, envelope } = await attempt({
      turn,
      answer: allowed,
      spec: { root: spec.root, workdir: spec.workdir },
    });
    expect(done.slice(0, 2)).toEqual(['two', '{}']);
    expect(done.slice(2)).toEqual([
      ...['-32600', '-32602', '-32600', '-32602', '-32600', '-32600', '-32600', '-32600', '-32600', '/none'],
    ]);
    expect(readFileSync(join(spec.workdir, 'src/new/b.txt'), 'utf8')).toBe('b');
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('of others');
    // Links are put to a person as edits that no rule covers; even allowed, none is followed.
    expect(asked.map(({ body }) => body['tool'])).toEqual(['write_file', 'write_file']);
    expect(envelope.warnings).toContainEqual(expect.stringContaining('outside the workspace'));
  });
});

describe('a terminal', () => {
  it('runs in the workspace what a rule or a person allows, keeps the newest output, and ends with the attempt', async () => {
    const turn = `const create = (command, rest) => ask('terminal/create', { command, ...rest });
      const one = await create('for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done; exit 3', { outputByteLimit: 20 });
      mark(await ask('terminal/wait_for_exit', one));
      mark((await ask('terminal/output', one)));
      mark(await ask('terminal/release', one)); mark((await ask('terminal/output', one)).code);
      const two = await create('echo', { args: ['a b', 'c'] }); await ask('terminal/wait_for_exit', two);
      mark((await ask('terminal/output', two)).output.trim());
      mark((await create('id', { cwd: '/' })).code);
      const three = await create('sh -c "echo $$ > pid; exec sleep 60"'); mark(Object.keys(three));
      while (!require('node:fs').existsSync('pid') || require('node:fs').readFileSync('pid', 'utf8') === '') await new Promise((done) => setTimeout(done, 10));
      ${pass}`;
    const { asked, done, folder } = await attempt({ turn, answer: allowed, config: { tools: ['Bash(echo:*)'] } });
    expect(done).toEqual([
      JSON.stringify({ exitCode: 3, signal: null }),
      JSON.stringify({
        output: 'line 7\nline 8\nline 9\n'.slice(-20),
        truncated: true,
        exitStatus: { exitCode: 3, signal: null },
      }),
      ...['{}', '-32600', 'a b c', '-32602', '["terminalId"]'],
    ]);
    expect(asked.map(({ body }) => body)).toMatchObject([
      { tool: 'shell', input: { command: expect.stringMatching(/^for i/) } },
      { input: { command: expect.stringContaining('sleep 60') } },
    ]);
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('keeps the mark of its attempt, by which it is ended, and never leaves the workspace through a link', async () => {
    const turn = `require('node:fs').symlinkSync('/', 'out');
      mark((await ask('terminal/create', { command: 'id', cwd: 'out' })).code);
      const env = [{ name: 'BOSUN_TOKEN', value: 'other' }, { name: 'GIVEN', value: 'yes' }];
      const one = await ask('terminal/create', { command: 'echo $BOSUN_TOKEN $GIVEN', env });
      await ask('terminal/wait_for_exit', one); mark((await ask('terminal/output', one)).output.trim()); ${pass}`;
    const { asked, done } = await attempt({
      turn,
      answer: allowed,
      spec: { token: 'f00d' },
      config: { tools: ['Bash'] },
    });
    expect(done).toEqual(['-32602', 'f00d yes']);
    // A rule covers a command, not what its environment could load into it.
    expect(asked.map(({ body }) => body)).toMatchObject([{ tool: 'shell', input: { env: { GIVEN: 'yes' } } }]);
  });

  it('is not offered to a program behind a wrap, and not run where a person refuses it', async () => {
    const turn = `mark((await ask('terminal/create', { command: 'touch made' })).code); ${pass}`;
    const wrapped = await attempt({ turn, answer: allowed, config: { wrap: ['env'] } });
    expect(wrapped.done).toEqual(['-32601']);
    expect(wrapped.heard[0]?.params).toMatchObject({
      clientCapabilities: { terminal: false, fs: { readTextFile: false } },
    });
    const refused = await attempt({ turn, answer: () => ({ state: 'denied' }) });
    expect([refused.done, existsSync(join(refused.folder, 'made'))]).toEqual([['-32600'], false]);
  });
});

describe('what is no conversation', () => {
  it('a request that Bosun does not know is refused with an error and told as a warning', async () => {
    const { envelope, done } = await attempt({ turn: `mark((await ask('_vendor/login', {})).code); ${pass}` });
    expect(done).toEqual(['-32601']);
    expect(envelope).toMatchObject({ fault: null, warnings: [expect.stringContaining('_vendor/login')] });
  });

  it.each([
    [
      'a login that is missing',
      `'session/new': (id) => send({ id, error: { code: -32000, message: 'Authentication required' } })`,
      pass,
      { code: 'not_logged_in', remedy: 'ask' },
    ],
    [
      'another version of the protocol',
      `initialize: (id) => reply(id, { protocolVersion: 2 })`,
      pass,
      { code: 'bad_protocol' },
    ],
    [
      'an error of its provider',
      '',
      `send({ id: prompted, error: { code: -32603, message: 'overloaded, try again in 30 s' } });`,
      { code: 'overloaded', remedy: 'wait', waitMs: 30_000 },
    ],
    ['a turn without room', '', `end('max_tokens');`, { code: 'context_too_long', remedy: 'ask' }],
  ])('%s has its fault', async (_, changed, turn, fault) => {
    const { envelope } = await attempt({ turn, more: `const changed = { ${changed} };` });
    expect(envelope.fault).toMatchObject(fault);
  });

  it('a program that stays silent is a fault after a while', async () => {
    const events: AgentEvent[] = [];
    let isClosed = false;
    const session = openAcp(agentSeat(agentConfig('acp', { own: { run: ['mute'] } })), around, { patienceMs: 20 });
    await new Promise<void>((resolve) => {
      session.begin({
        send: () => undefined,
        close: () => {
          isClosed = true;
        },
        emit: (some) => {
          events.push(...some);
          resolve();
        },
      });
    });
    expect(events).toMatchObject([{ type: 'stuck', fault: { code: 'agent_silent' } }]);
    expect(isClosed).toBe(true);
    session.end(null, '');
  });
});

describe('a trial', () => {
  const given = { turn: `${push} ${pass}`, isTried: false, answer: allowed } as const;

  it('lets a program begin that asks and obeys, once for all attempts', async () => {
    const { envelope, done, again, trials, folder } = await attempt({ ...given, trial: 'obedient' });
    expect(envelope).toMatchObject({ exit: 0, fault: null });
    expect(await again()).toMatchObject({ fault: null });
    expect([done, trials().length]).toEqual([['true'], 1]);
    expect(existsSync(join(folder, trials()[0] ?? ''))).toBe(false);
  });

  it.each([
    ['rash', 'deny', 1, 'ran a command without asking'],
    ['disobedient', 'ask', 1, 'ran a command that was denied'],
    ['idle', 'ask', 2, 'did not try the command'],
    ['evasive', 'ask', 2, 'did not try the command'],
  ] as const)(
    'keeps a %s program from beginning, and says why and what to do',
    async (trial, permission, times, why) => {
      const { envelope, heard, again, trials, folder } = await attempt({ ...given, trial, config: { permission } });
      expect(envelope.fault).toMatchObject({
        code: 'permission_unproven',
        remedy: 'ask',
        message: expect.stringContaining(why),
      });
      expect(envelope.fault?.message).toContain('permission: bypass');
      expect(JSON.stringify(heard)).not.toContain('Do it.');
      expect(existsSync(join(folder, trials()[0] ?? ''))).toBe(false);
      // What was not shown is tried again.
      await again();
      expect(trials()).toHaveLength(times);
    },
  );

  it('is what doctor tells of, and runs only when it is told to', async () => {
    const home = givenFolder();
    const ask = (run: readonly string[], tries = false) =>
      acp.probe(agentConfig('acp', { own: { run } }), process.env, home, { home, tries });
    const [good, bad] = [[acpAgent({ turn: '' })], [acpAgent({ turn: '', trial: 'rash' })]];
    expect(await ask(good)).toMatchObject({
      ...{ kind: 'limited', version: 'speaks ACP as fake 1.2', why: 'it was not tried yet whether it asks' },
      hint: expect.stringContaining('bosun doctor --probe'),
    });
    expect(await ask(good, true)).toMatchObject({ kind: 'there', version: expect.stringContaining('asks before') });
    expect(await ask(good)).toMatchObject({ kind: 'there' });
    expect(await ask(bad, true)).toMatchObject({ kind: 'limited', why: expect.stringContaining('without asking') });
    expect(await ask(['/no/such/agent'])).toEqual({ kind: 'missing' });
    expect(await ask(['/bin/true'])).toMatchObject({ kind: 'broken' });
    expect(readFileSync(join(home, 'trials'), 'utf8').trim().split('\n')).toHaveLength(2);
  });

  it('is not needed under bypass', async () => {
    const { envelope, trials } = await attempt({ ...given, trial: 'rash', config: { permission: 'bypass' } });
    expect([envelope.fault, trials()]).toEqual([null, []]);
  });
});
