// What no agent should send: for each, the attempt comes to a clear end, never a pass, nothing is given, and no process is left.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { trialKey, writeVerdict } from '../../../src/agents/adapters/acp/trial-notes.js';
import { attemptRunner, codingAgents } from '../../../src/agents/index.js';
import { endProcessesOf } from '../../../src/agents/processes/end-processes.js';
import type { AgentConfig } from '../../../src/jobs/agent-config.js';
import { givenControl, givenFolder, givenSpec } from '../attempts/given.js';
import { acpAgent } from './fake-acp-agent.js';
import { appServer, bosunThatAnswers } from './fake-app-server.js';
import { claudeProgram } from './fake-claude.js';
import { fakeOpencode } from './fake-opencode.js';
import { agentConfig } from './given-agent.js';

interface Wire {
  readonly kind: string;
  /** A program whose turn is this code. */
  readonly executor: (turn: string) => AgentConfig;
  /** Code of its turn. */
  readonly brokenLine: string;
  readonly strangeMessage: string;
  readonly longLine: string;
  readonly sameId: string;
  /** Asks to run a command, and leaves `ran` if it may. */
  readonly ask: (id: number) => string;
  readonly claim: string;
  readonly end: string;
}

const filler = (prefix: string, megabytes: number, rest: string) =>
  `raw(${JSON.stringify(prefix)} + 'y'.repeat(${megabytes}e6) + ${JSON.stringify(rest)});`;

const jsonRpc = {
  brokenLine: `raw('{"id": 1, ');`,
  strangeMessage: `send({ hello: 1 });`,
  longLine: filler('{"method":"x","params":"', 10, '"}'),
  sameId: `send({ id: 0, method: 'a' }); send({ id: 0, method: 'b' });`,
  claim: `say('STATUS: done');`,
  end: 'end();',
};

const wires: readonly Wire[] = [
  {
    kind: 'claude',
    executor: (turn) => agentConfig('claude', { program: claudeProgram(turn) }),
    brokenLine: `raw('{"type": "res'); raw('null'); raw('[]'); process.exit(0);`,
    strangeMessage: `send({ type: 'control_request', request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {} } });`,
    longLine: `${filler('{"type":"x","y":"', 10, '"}')} process.exit(0);`,
    sameId: `ask('r1', 'ls'); ask('r1', 'rm x');`,
    ask: (id) => `ask('r${id}', 'id').then(({ behavior }) => behavior === 'allow' && mark('ran'));`,
    claim: `send({ type: 'assistant', message: { id: 'm1', model: 'small', content: [{ type: 'text', text: 'STATUS: done' }] } });`,
    end: 'end();',
  },
  {
    ...jsonRpc,
    kind: 'codex',
    executor: (turn) => agentConfig('codex', { program: appServer(turn) }),
    ask: (id) => `approve(${id}, 'id').then(({ decision }) => decision === 'accept' && mark('ran'));`,
  },
  {
    kind: 'opencode',
    executor: (turn) => agentConfig('opencode', { program: fakeOpencode(turn) }),
    brokenLine: `raw('data: {"type": \\n\\n');`,
    strangeMessage: `raw('data: {}\\n\\n');`,
    longLine: filler('data: ', 17, '\n\n'),
    sameId: `tool('bash', 'c1', 'running', {}); ask(1, 'x', {}); ask(1, 'x', {});`,
    ask: (id) => `bash(${id}, 'id');`,
    claim: `say('STATUS: done');`,
    end: `usage(1, 1, 'stop'); idle();`,
  },
  {
    ...jsonRpc,
    kind: 'acp',
    executor: (turn) => agentConfig('acp', { own: { run: [acpAgent({ turn }), 'acp'] } }),
    ask: () => `permit('execute', { command: 'id' }).then((may) => may && mark('ran'));`,
  },
];

/** It leaves its process group. */
const straying = `require('node:child_process').spawn('sleep', ['300'], { detached: true, stdio: 'ignore' }).unref();`;

async function attempt({ executor }: Wire, turn: string, answers: 'at once' | 'never' = 'at once') {
  const { url, asked } = await bosunThatAnswers(() => (answers === 'never' ? null : { state: 'allowed' }));
  const config = executor(`${straying} ${turn}`);
  const spec = givenSpec({ executor: config, url, timeoutMs: 4_000 });
  const home = givenFolder();
  writeVerdict(home, trialKey({ ...spec, executor: config }, process.env), 'asks', 0);
  const run = attemptRunner({ agents: codingAgents, entry: '/opt/bosun/main.js', home });
  const { fault, killed, output } = await run(spec, givenControl());
  const path = join(spec.workdir, 'done');
  return {
    outcome: fault?.code ?? killed,
    status: output.keys['STATUS'],
    permissions: asked.filter(({ path: to }) => to === '/agent/permission').length,
    ran: existsSync(path) ? /\bran\b/.test(readFileSync(path, 'utf8')) : false,
    left: await endProcessesOf([spec.token]),
  };
}

const nothing = { ran: false, left: 0 };

describe.each(wires)('$kind', (wire) => {
  it.each([
    ['a line that is no JSON', wire.brokenLine],
    ['a message of no known form', wire.strangeMessage],
    ['a line longer than any message', wire.longLine],
    ['two requests with one id', wire.sameId],
    ['a flood of requests', Array.from({ length: 90 }, (_, id) => wire.ask(id)).join(' ')],
    ['an end in mid-turn, after it said that it is done', `${wire.claim} process.exit(0);`],
  ])('%s is a fault', async (_what, turn) => {
    const { outcome, permissions, ...rest } = await attempt(wire, turn, 'never');
    expect(outcome).toMatch(/^(bad_protocol|cut_short|unknown_output|agent_failed)$/);
    expect(permissions).toBeLessThanOrEqual(20);
    expect(rest).toMatchObject(nothing);
  });

  it('silence in its turn ends with the time limit of the attempt', async () => {
    expect(await attempt(wire, wire.claim)).toMatchObject({ ...nothing, outcome: 'timeout' });
  });

  it('a request after the end of its turn is never given', async () => {
    const { outcome, ...rest } = await attempt(wire, `${wire.claim} ${wire.end} ${wire.ask(1)}`);
    expect(outcome).toBeNull();
    expect(rest).toMatchObject({ ...nothing, permissions: 0 });
  });
});
