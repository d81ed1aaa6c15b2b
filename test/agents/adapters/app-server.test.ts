// Codex's app-server as an attempt: what it asks reaches Bosun, what Bosun answers reaches it, and whatever else it says
// ends in a clear fault.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AgentRequests } from '../../../src/agents/adapters/agent-requests.js';
import { bareLine, readRequest } from '../../../src/agents/adapters/codex/app-server/approvals.js';
import { openAppServer } from '../../../src/agents/adapters/codex/app-server/session.js';
import type { AgentEvent } from '../../../src/agents/adapters/port.js';
import { commandRuling, editsUnasked } from '../../../src/agents/adapters/shared/own-rules.js';
import { attemptRunner, codingAgents } from '../../../src/agents/index.js';
import type { Envelope } from '../../../src/engine/index.js';
import type { AgentConfig } from '../../../src/jobs/agent-config.js';
import type { BosunAnswer } from '../../../src/jobs/asks/index.js';
import type { AttemptSpec } from '../../../src/jobs/attempt-spec.js';
import { leavePipe } from '../../leave-pipe.js';
import { type GivenControl, givenControl, givenFolder, givenSpec, put } from '../attempts/given.js';
import { type AskedBosun, appServer, bosunThatAnswers } from './fake-app-server.js';
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
}

interface Done {
  readonly envelope: Envelope;
  readonly asked: readonly AskedBosun[];
  /** What the turn left in the file `done`. */
  readonly done: readonly string[];
  /** What the server heard from Bosun. */
  readonly heard: readonly z.infer<typeof message>[];
}

const message = z.looseObject({
  id: z.unknown().optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});

async function attempt({
  turn,
  more = '',
  answer = () => null,
  words,
  config,
  spec,
  control = givenControl(),
}: Given): Promise<Done> {
  const { url, asked } = await bosunThatAnswers(answer, words);
  const executor = agentConfig('codex', { program: appServer(turn, more), ...config });
  const given = givenSpec({ executor, url, ...spec });
  const envelope = await run(given, control);
  const lines = (name: string) => {
    const path = join(given.workdir, name);
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  };
  return { envelope, asked, done: lines('done'), heard: lines('heard').map((line) => message.parse(JSON.parse(line))) };
}

/** As another step of the run may leave it. */
function plant(path: string, text: string, how: 'pipe' | 'link' | undefined): void {
  mkdirSync(dirname(path), { recursive: true });
  if (how === 'link') symlinkSync(put(givenFolder(), 'total.json', text), path);
  else if (how === 'pipe') leavePipe(path, text);
  else writeFileSync(path, text);
}

const pass = `say('STATUS: done\\nSUMMARY: It is there.'); end();`;
const decided = `const { decision } = await approve(0, 'git commit -m one'); mark(decision); ${pass}`;

describe('a turn of codex app-server', () => {
  it('leaves its report, its session and what it used', async () => {
    const control = givenControl();
    const prices = { input: 1, cached: 0, output: 2 };
    const turn = `item('commandExecution', { command: "/bin/bash -lc 'npm test'", status: 'inProgress' }, false); usage(1e6, 0); usage(2e6, 1e6); ${pass}`;
    const { envelope, heard } = await attempt({ turn, control, config: { prices, model: 'small' } });
    expect(envelope).toMatchObject({
      ...{ exit: 0, killed: null, fault: null, session: 'codex:t-1', program: 'codex small', reports: true, asks: [] },
      ...{ costUsd: 4, tokensIn: 2_000_000, tokensOut: 1_000_000 },
      output: { keys: { STATUS: 'done', SUMMARY: 'It is there.' } },
    });
    expect(control.seen).toContainEqual({ type: 'action', text: 'Bash: npm test' });
    const start = heard.find(({ method }) => method === 'thread/start')?.params;
    expect(start).toMatchObject({
      ...{ approvalPolicy: 'on-request', approvalsReviewer: 'user', sandbox: 'workspace-write', model: 'small' },
      dynamicTools: ['ask_human', 'report_progress', 'report', 'note'].map((name) => ({ name })),
    });
    const input = heard.find(({ method }) => method === 'turn/start')?.params?.['input'];
    expect(JSON.stringify(input)).toMatch(/Do it\..*`ask_human`/);
  });

  it.each([
    ['ask', 'read', 'on-request', 'read-only'],
    ['strict', 'write', 'untrusted', 'workspace-write'],
    ['deny', 'exec', 'never', 'workspace-write'],
    ['bypass', 'read', 'never', 'danger-full-access'],
  ] as const)(
    'with permission %s and access %s asks by %s in a sandbox %s',
    async (permission, access, policy, sandbox) => {
      const { heard } = await attempt({ turn: pass, config: { permission }, spec: { access } });
      const start = heard.find(({ method }) => method === 'thread/start')?.params;
      expect(start).toMatchObject({ approvalPolicy: policy, sandbox, approvalsReviewer: 'user' });
    },
  );

  it('goes on with its thread and is counted only for what is new', async () => {
    const first = givenSpec({
      executor: agentConfig('codex', { program: appServer(`usage(100, 10); ${pass}`) }),
      url: '',
    });
    expect(await run(first, givenControl())).toMatchObject({ session: 'codex:t-1', tokensIn: 100, tokensOut: 10 });
    const executor = agentConfig('codex', { program: appServer(`usage(300, 30); ${pass}`) });
    const again = { ...first, executor, attempt: 'b', resume: { session: 'codex:t-1', prompt: 'Go on.' } };
    expect(await run(again, givenControl())).toMatchObject({ session: 'codex:t-1', tokensIn: 200, tokensOut: 20 });
    const heard = readFileSync(join(first.workdir, 'heard'), 'utf8');
    expect(heard).toMatch(/"thread\/resume".*"threadId":"t-1"/);
    expect(heard).toContain('"text":"Go on."');
  });

  it('begins a fresh thread where the one to go on with is gone', async () => {
    const more = `const changed = { 'thread/resume': (id) => send({ id, error: { code: -32600, message: 'no rollout found for thread id t-0' } }) };`;
    const resume = { session: 'codex:t-0', prompt: 'Go on.' };
    const { envelope, heard } = await attempt({ turn: pass, more, spec: { resume } });
    expect(envelope).toMatchObject({ fault: null, session: 'codex:t-1' });
    expect(heard.filter(({ method }) => method === 'thread/start')).toHaveLength(1);
  });
});

describe('a permission', () => {
  it.each([
    ['allowed', { state: 'allowed', by: 'ada' }, 'accept'],
    ['allowed for the run, by Bosun itself', { state: 'allowed', by: 'an earlier answer' }, 'accept'],
    ['denied', { state: 'denied', by: 'ada', why: 'not on Fridays' }, 'decline'],
    ['expired', { state: 'expired' }, 'decline'],
  ] as const)('that is %s reaches the agent as such', async (_, state, decision) => {
    const { asked, done, envelope } = await attempt({ turn: decided, answer: () => state });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      path: '/agent/permission',
      body: { tool: 'shell', reason: 'it must be', input: { command: 'git commit -m one' } },
    });
    expect(done).toEqual([decision]);
    const { asks = [] } = envelope;
    // Nobody decided: a person still has to, before the step may pass.
    const open = state.state === 'expired' ? [{ kind: 'permission', permission: { tool: 'shell' } }] : [];
    expect(asks).toMatchObject(open);
    expect(asks).toHaveLength(open.length);
  });

  it('that is denied with a reason tells the model why, in its running turn', async () => {
    const { heard } = await attempt({
      turn: decided,
      answer: () => ({ state: 'denied', by: 'ada', why: 'not on Fridays' }),
    });
    const steer = heard.find(({ method }) => method === 'turn/steer')?.params;
    expect(steer).toMatchObject({ threadId: 't-1', expectedTurnId: 'u-1' });
    expect(JSON.stringify(steer)).toContain('Refused by ada: not on Fridays');
  });

  it('is one card for one use, even of the same command', async () => {
    const turn = `const all = await Promise.all([approve(0, 'date'), approve(1, 'date')]); all.forEach(({ decision }) => mark(decision)); ${pass}`;
    let count = 0;
    const answer = () => (count++ === 0 ? { state: 'allowed' } : { state: 'denied' });
    const { asked, done } = await attempt({ turn, answer });
    expect(new Set(asked.map(({ body }) => body['key'])).size).toBe(2);
    expect(done.toSorted()).toEqual(['accept', 'decline']);
  });

  it('for a patch shows the whole patch, and none that was not announced', async () => {
    const turn = `item('fileChange', { id: 'p', changes: [{ path: '/etc/hosts', kind: { type: 'update', move_path: null }, diff: '+evil' }] }, false);
      for (const itemId of ['p', 'q']) mark((await ask(itemId, 'item/fileChange/requestApproval', { itemId, reason: null })).decision);
      ${pass}`;
    const { asked, done, envelope } = await attempt({ turn, answer: () => ({ state: 'allowed' }) });
    expect(asked.map(({ body }) => body)).toMatchObject([
      { tool: 'apply_patch', input: { changes: 'update /etc/hosts\n+evil' } },
    ]);
    expect(done).toEqual(['accept', 'decline']);
    expect(envelope.warnings).toContainEqual(expect.stringContaining('file changes without the changes'));
  });

  it('for more than a command, from Codex or from an MCP server, is asked for too', async () => {
    const turn = `const one = await ask('a', 'item/permissions/requestApproval', { cwd: '/work', reason: null, permissions: { network: { enabled: true }, fileSystem: null } });
      const two = await ask('b', 'mcpServer/elicitation/request', { serverName: 'github', mode: 'form', message: 'Merge it?', requestedSchema: { type: 'object', properties: {} } });
      const three = await ask('c', 'mcpServer/elicitation/request', { serverName: 'github', mode: 'url', message: 'Open it', url: 'http://x', elicitationId: 'e' });
      mark(JSON.stringify(one)); mark(two.action); mark(three.action); ${pass}`;
    const { asked, done } = await attempt({ turn, answer: () => ({ state: 'allowed' }) });
    expect(asked.map(({ body }) => body['tool'])).toEqual(['permissions', 'mcp:github']);
    expect(done).toEqual([
      JSON.stringify({ permissions: { network: { enabled: true } }, scope: 'turn' }),
      'accept',
      'decline',
    ]);
  });

  it('under strict is given by Bosun’s rules where they cover it, and by a person otherwise', async () => {
    const turn = `for (const [id, line] of ['npm test', 'npm test && rm x', 'git log -1', 'git log; id'].entries()) mark(line + ' ' + (await approve(id, line)).decision);
      for (const path of ['src/a.ts', '.git/hooks/pre-commit']) {
        item('fileChange', { id: path, changes: [{ path: process.cwd() + '/' + path, kind: { type: 'add' }, diff: '' }] }, false);
        mark(path + ' ' + (await ask(path, 'item/fileChange/requestApproval', { itemId: path })).decision);
      }
      ${pass}`;
    const { asked, done } = await attempt({
      turn,
      answer: () => ({ state: 'denied', by: 'ada' }),
      config: { permission: 'strict', tools: ['Bash(git log:*)'] },
      spec: { ownerLines: ['npm test'] },
    });
    expect(asked).toHaveLength(3);
    expect(done).toEqual([
      ...['npm test accept', 'npm test && rm x decline', 'git log -1 accept', 'git log; id decline'],
      ...['src/a.ts accept', '.git/hooks/pre-commit decline'],
    ]);
  });

  it.each(['cancel', 'timeout'] as const)('that waits when the attempt ends by %s is never given', async (how) => {
    const turn = `interrupted = () => { mark('interrupted'); end('interrupted'); }; approve(0, 'git push').then(({ decision }) => mark(decision));`;
    const control = givenControl((progress, own) => {
      if (how === 'cancel' && progress.type === 'text') own.abort('cancel');
    });
    const { envelope, done, asked, heard } = await attempt({
      turn: `say('begun'); ${turn}`,
      control,
      ...(how === 'timeout' ? { spec: { timeoutMs: 700 } } : {}),
    });
    expect(envelope).toMatchObject({ killed: how, session: 'codex:t-1' });
    expect(done).toEqual(['interrupted']);
    expect(asked.length).toBeLessThanOrEqual(1);
    expect(heard.filter(({ id, method }) => id === 0 && method === undefined)).toEqual([]);
  });

  it('that Codex withdraws is not answered, nor is one after the end of its turn', async () => {
    const turn = `send({ id: 7, method: 'item/commandExecution/requestApproval', params: { ...ids, kind: 'command', command: 'id' } });
      tell('serverRequest/resolved', { threadId: 't-1', requestId: 7 });
      setTimeout(() => { ${pass} ask(8, 'item/commandExecution/requestApproval', { kind: 'command', command: 'late' }).then(({ decision }) => mark('late ' + decision)); }, 100);`;
    const { asked, done, heard } = await attempt({ turn, answer: () => null });
    expect(asked.length).toBeLessThanOrEqual(1);
    expect(heard.filter(({ id }) => id === 7)).toEqual([]);
    expect(done.filter((line) => line !== 'late decline')).toEqual([]);
  });

  it('of an attempt that Bosun has settled is refused', async () => {
    const answer = () => ({ status: 403, detail: 'That token belongs to no running attempt' });
    const { done, envelope } = await attempt({ turn: decided, answer });
    expect(done).toEqual(['decline']);
    expect(envelope.asks).toMatchObject([{ kind: 'permission', text: 'shell was refused: git commit -m one' }]);
  });

  it('that is answered after the session ended, or was withdrawn, changes nothing', async () => {
    const waiting: ((answer: BosunAnswer) => void)[] = [];
    const answered: string[] = [];
    const requests = new AgentRequests({
      session: { answer: (id) => answered.push(id) },
      bosun: {
        missing: null,
        ask: () => new Promise((resolve) => waiting.push(resolve)),
        tell: () => Promise.resolve(null),
        words: () => new Promise(() => undefined),
      },
      record: () => undefined,
      onFlood: () => undefined,
    });
    const ask = (id: string) =>
      requests.open({ kind: 'permission', id, turn: 'u', tool: 'shell', input: { command: 'id' }, reason: null });
    for (const id of ['live', 'withdrawn', 'ended']) ask(id);
    requests.withdraw('withdrawn');
    for (const [at, resolve] of waiting.entries()) {
      if (at === 2) requests.close();
      resolve({ state: 'allowed' });
      await Promise.resolve();
      await new Promise((done) => setImmediate(done));
    }
    ask('after the end');
    expect(answered).toEqual(['live']);
    expect(waiting).toHaveLength(3);
    expect(requests.undecided).toEqual([]);
  });

  it('for a patch too long to be shown is bound to all of it by its hash', () => {
    const params = { threadId: 't', turnId: 'u', itemId: 'p', reason: null };
    const of = (end: string) =>
      readRequest('item/fileChange/requestApproval', params, () => [
        { change: 'add', path: 'big', diff: `${'x'.repeat(50_000)}${end}` },
        { change: 'update', path: '/etc/hosts', diff: 'y' },
      ]);
    const [one, other] = [of('a'), of('b')].map((read) => ('ask' in read ? JSON.stringify(read.ask) : ''));
    expect(one).toContain('add big\\nupdate /etc/hosts');
    expect(one?.length).toBeLessThan(10_000);
    expect(one).not.toBe(other);
  });
});

describe('a file of Bosun’s own', () => {
  it('is written by a tool, without a card and outside of the sandbox', async () => {
    const turn = `const say = (id, tool, args) => ask(id, 'item/tool/call', { callId: 'c', tool, arguments: args });
      const one = await say(0, 'report', { status: 'failing', summary: 'Half: done' });
      const two = await say(1, 'report', { status: 'done' });
      const three = await say(2, 'note', { text: 'port 8080 is taken' });
      mark(one.success); mark(two.success); mark(three.success); ${pass}`;
    const { asked, done, envelope } = await attempt({ turn });
    expect(done).toEqual(['true', 'false', 'true']);
    expect(asked).toEqual([]);
    expect(envelope.handoff?.front).toMatchObject({ status: 'failing', summary: 'Half: done' });
    expect(envelope.scratch.item).toBe('port 8080 is taken');
  });
});

describe('a question', () => {
  it('by ask_human reaches a person, and report_progress reaches no one', async () => {
    const turn = `const one = await ask(0, 'item/tool/call', { callId: 'c', namespace: null, tool: 'ask_human', arguments: { question: 'Up or down?', options: ['Up', 'Down'] } });
      const two = await ask(1, 'item/tool/call', { callId: 'd', tool: 'report_progress', arguments: { text: 'Half done' } });
      const three = await ask(2, 'item/tool/call', { callId: 'e', tool: 'rm', arguments: {} });
      mark(one.contentItems[0].text.split('\\n').join(' ')); mark(two.success); mark(three.success); ${pass}`;
    const answer = ({ path }: AskedBosun) =>
      path === '/agent/ask' ? { state: 'answered', text: 'Up', by: 'ada' } : { state: 'noted' };
    const { asked, done } = await attempt({ turn, answer });
    expect(done).toEqual(['ada answered: Up', 'true', 'false']);
    expect(asked).toContainEqual(
      expect.objectContaining({ body: expect.objectContaining({ question: 'Up or down?', options: ['Up', 'Down'] }) }),
    );
    expect(asked).toContainEqual({ path: '/agent/progress', body: { text: 'Half done' } });
  });
});

describe('words of a person', () => {
  /** One saying of ada; `heard` collects what Bosun is told of it. */
  const saying = (heard: unknown[]) => (asked: AskedBosun) => {
    if (asked.body['heard'] === null) return { state: 'words', key: 'k1', text: 'Use JWT', by: 'ada' };
    heard.push(asked.body['heard']);
    return null;
  };
  const finish = `setTimeout(() => { ${pass} }, 200);`;

  it('reach its running turn', async () => {
    const heard: unknown[] = [];
    const more = `const changed = { 'turn/steer': (id) => { reply(id, {}); ${finish} } };`;
    const { heard: told } = await attempt({ turn: '', more, words: saying(heard) });
    const steer = told.find(({ method }) => method === 'turn/steer')?.params;
    expect(steer).toMatchObject({ threadId: 't-1', expectedTurnId: 'u-1' });
    expect(JSON.stringify(steer)).toContain('ada says, while you work:\\nUse JWT');
    expect(heard).toEqual([{ key: 'k1', is_heard: true }]);
  });

  it('that its turn no longer takes are reported as not heard', async () => {
    const heard: unknown[] = [];
    const refuse = `send({ id, error: { code: -32600, message: 'no active turn to steer' } });`;
    const more = `const changed = { 'turn/steer': (id) => { ${refuse} ${finish} } };`;
    const { envelope } = await attempt({ turn: '', more, words: saying(heard) });
    expect(heard).toEqual([{ key: 'k1', is_heard: false }]);
    expect(envelope).toMatchObject({ exit: 0, fault: null });
  });

  it('are not heard where no turn runs', async () => {
    const session = openAppServer(agentSeat(agentConfig('codex')), around);
    expect(await session.steer?.('Use JWT')).toBe(false);
  });
});

describe('what it spends', () => {
  it('stops it in mid-turn at the budget, before another call', async () => {
    const turn = `interrupted = () => { mark('interrupted'); end('interrupted'); }; for (const n of [1, 2, 3]) usage(n * 1e6, 0); setTimeout(() => { mark('call 4'); }, 2000);`;
    const prices = { input: 1, cached: 0, output: 2 };
    const { envelope, done } = await attempt({ turn, config: { prices }, spec: { spendUsd: 2 } });
    expect(envelope).toMatchObject({ killed: 'budget', fault: null, costUsd: 3, session: 'codex:t-1' });
    expect(done).toEqual(['interrupted']);
  });

  it.each([
    ['a total above what Codex reports', '{"fresh":1e9,"cached":0,"output":1e9,"hasTools":true}', [], [150, 20]],
    ['its own total', '{"fresh":100,"cached":0,"output":10,"hasTools":true}', [], [50, 10]],
    ['a pipe', '{"fresh":100,"cached":0,"output":10}', ['pipe'], [150, 20]],
    ['a link', '{"fresh":100,"cached":0,"output":10}', ['link'], [150, 20]],
  ] as const)(
    'counts what a resumed thread used that has %s in place of its stored total',
    async (_, total, [how], used) => {
      const spec = givenSpec({ executor: agentConfig('codex', { program: appServer(`usage(150, 20); ${pass}`) }) });
      plant(join(spec.sharedDir, 'agents', 'codex-t-1.json'), total, how);
      const envelope = await run({ ...spec, resume: { session: 'codex:t-1', prompt: 'Go on.' } }, givenControl());
      expect([envelope.tokensIn, envelope.tokensOut]).toEqual(used);
    },
  );

  it('includes what the agents spend that it starts', async () => {
    const turn = `usage(100, 10); tell('thread/tokenUsage/updated', { threadId: 'helper', turnId: 'x', tokenUsage: { total: { inputTokens: 50, cachedInputTokens: 0, outputTokens: 5 } } }); ${pass}`;
    expect((await attempt({ turn })).envelope).toMatchObject({ tokensIn: 150, tokensOut: 15 });
  });
});

describe('what is no conversation', () => {
  it('a request that Bosun does not know is refused with an error and told as a warning', async () => {
    const turn = `mark((await ask('x', 'attestation/generate', {})).code); ${pass}`;
    const { envelope, done } = await attempt({ turn });
    expect(done).toEqual(['-32601']);
    expect(envelope).toMatchObject({ fault: null, warnings: [expect.stringContaining('attestation/generate')] });
  });

  it('a long wait for the provider, told in its coloured log alone, is not sat out', async () => {
    const log = String.raw`'\x1b[33mWARN\x1b[0m codex_core::responses_retry: retrying sampling request (1/5 in 899.9s)... \x1b[3msampling_error\x1b[0m\x1b[2m=\x1b[0mtoo many requests'`;
    const { envelope } = await attempt({ turn: `console.error(${log}); interrupted = () => end('interrupted');` });
    expect(envelope.fault).toMatchObject({ code: 'rate_limited', remedy: 'wait', waitMs: 899_900 });
  });

  it('a turn that failed has its cause', async () => {
    const turn = `end('failed', { message: 'Incorrect API key provided', codexErrorInfo: 'unauthorized' });`;
    expect((await attempt({ turn })).envelope.fault).toMatchObject({ code: 'not_logged_in', remedy: 'ask' });
  });

  it('a server that stays silent is a fault after a while', async () => {
    const events: AgentEvent[] = [];
    let isClosed = false;
    const session = openAppServer(agentSeat(agentConfig('codex')), around, 20);
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

  it('a Codex without app-server runs as `codex exec`, and says that it could not ask', async () => {
    const exec = `if (process.argv[2] === 'app-server') { console.error("error: unrecognized subcommand 'app-server'"); process.exit(2); }
      send({ type: 'thread.started', thread_id: 't-9' }); send({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'STATUS: done' } });
      send({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });`;
    const { envelope } = await attempt({ turn: '', more: exec });
    expect(envelope).toMatchObject({ fault: null, session: 'codex:t-9' });
    expect(envelope.warnings).toContainEqual(expect.stringContaining('could not ask a person for permission'));
    const strict = await attempt({ turn: '', more: exec, config: { permission: 'strict' } });
    expect(strict.envelope.fault).toMatchObject({ code: 'cannot_converse', remedy: 'ask' });
  });
});

describe('the rules of strict', () => {
  it.each([
    [`/bin/bash -lc 'npm test'`, 'npm test'],
    ['/usr/bin/zsh -lc ls', 'ls'],
    [`/tmp/evil/bash -lc 'npm test'`, null],
    [`/bin/bash -lc 'npm test' 'x'`, null],
    [`/bin/bash -lc 'it'"'"'s'`, null],
    [`bash -lc 'npm test'`, null],
    ['npm test', null],
  ])('see in %s the line %s', (command, line) => {
    expect(bareLine(command)).toBe(line);
  });

  it('let nothing run elsewhere, nor in a step that only reads', () => {
    const config = agentConfig('codex', { tools: ['Bash'] });
    expect(commandRuling('id', '/work/demo', agentSeat(config))).toBe('allowed');
    expect(commandRuling('id', '/work', agentSeat(config))).toBeNull();
    expect(commandRuling('id', '/work/demo', agentSeat(config, { access: 'read' }))).toBeNull();
  });

  it('follow links before they let a file be edited', () => {
    const [root, outside] = [givenFolder(), givenFolder()];
    mkdirSync(join(root, 'src'));
    symlinkSync(outside, join(root, 'out'));
    symlinkSync(join(outside, 'not-there'), join(root, 'dangling'));
    const seat = (access: AttemptSpec['access']) => agentSeat(agentConfig('codex'), { workdir: root, root, access });
    const edits = (path: string, access: AttemptSpec['access'] = 'write') => editsUnasked(path, seat(access));
    expect(['src/new.ts', 'new/deep/file', '.ai/HANDOFF.md'].map((path) => edits(path))).toEqual([true, true, true]);
    expect(['out/x', 'dangling', '../x', '.git/config', '.codex/config.toml'].map((path) => edits(path))).toEqual(
      Array.from({ length: 5 }, () => false),
    );
    expect([edits('src/new.ts', 'exec'), edits('.ai/HANDOFF.md', 'read')]).toEqual([false, true]);
  });
});
