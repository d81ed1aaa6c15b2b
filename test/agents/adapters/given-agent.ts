// A seat for a coding agent, recorded streams of the real programs, and small programs that speak like them.
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentListener } from '../../../src/agents/adapters/agent-listener.js';
import type { AdapterContext, AgentOutcome, AgentSeat, OneShotAdapter } from '../../../src/agents/adapters/port.js';
import { codingAgents } from '../../../src/agents/adapters/registry.js';
import { UsageTally } from '../../../src/agents/adapters/shared/usage.js';
import { AgentOutput } from '../../../src/agents/processes/agent-output.js';
import { AttemptLog } from '../../../src/agents/processes/attempt-log.js';
import type { Output } from '../../../src/engine/index.js';
import type { AgentConfig } from '../../../src/jobs/agent-config.js';
import type { Progress } from '../../../src/jobs/attempt-control.js';
import type { AttemptSpec } from '../../../src/jobs/attempt-spec.js';
import { givenControl, givenFolder, put } from '../attempts/given.js';

export const now = 1_795_000_000_000;
export const around: AdapterContext = {
  entry: '/opt/bosun/main.js',
  leftUsd: null,
  clock: () => now,
  environment: process.env,
};

/** The one-shot way of an agent. */
export function adapterOf(kind: string): OneShotAdapter {
  const found = codingAgents.find((agent) => agent.kind === kind);
  if (found === undefined) throw new Error(`no agent ${kind}`);
  const way = 'open' in found.adapter ? found.adapter.fallback : found.adapter;
  if (way === null) throw new Error(`${kind} only converses`);
  return way;
}

export function agentConfig(kind: AgentConfig['kind'], changes: Partial<AgentConfig> = {}): AgentConfig {
  return {
    kind,
    program: null,
    model: null,
    args: [],
    permission: 'ask',
    tools: [],
    env: {},
    passEnv: [],
    wrap: [],
    answerWithinMs: 600_000,
    prices: null,
    roles: {},
    ...changes,
  };
}

/** Nothing of it touches the disk. */
export function agentSeat(config: AgentConfig, changes: Partial<AttemptSpec> = {}): AgentSeat {
  return {
    attempt: 'shop-r1-n3-1',
    token: 'f00d',
    project: 'shop',
    run: 'r1',
    item: '',
    node: 'n3',
    step: 'impl',
    label: 'step-003',
    attemptNumber: 1,
    kind: 'agent',
    prompt: 'Do it all.',
    root: '/work/demo',
    workdir: '/work/demo',
    sharedDir: '/work/demo/.ai/runs/r1',
    logPath: '/work/demo/logs/a.jsonl',
    url: '',
    timeoutMs: 15_000,
    red: false,
    tests: null,
    check: null,
    checkTimeoutMs: 15_000,
    outputs: null,
    keepsProgress: false,
    isBeside: false,
    slot: null,
    access: 'write',
    agentRole: null,
    resume: null,
    spendUsd: null,
    team: null,
    ...changes,
    executor: config,
  };
}

export function recorded(name: string, ext: 'out' | 'err' = 'out'): Buffer {
  try {
    return readFileSync(join(import.meta.dirname, 'streams', `${name}.${ext}`));
  } catch {
    return Buffer.alloc(0);
  }
}

export interface Heard {
  readonly outcome: AgentOutcome;
  readonly output: Output;
  readonly lines: readonly string[];
  readonly seen: readonly Progress[];
  readonly stopped: unknown;
}

export interface Sound {
  readonly out?: readonly string[];
  readonly err?: string;
  readonly exit?: number | null;
}

/** Has the adapter of a seat hear what a process prints, in these pieces. */
export function hear(seat: AgentSeat, { out = [], err = '', exit = 0 }: Sound): Heard {
  const lines: string[] = [];
  const log = new QuietLog(lines);
  const output = new AgentOutput(
    log,
    () => 0,
    () => undefined,
  );
  const control = givenControl();
  const tally = new UsageTally(seat.spendUsd, (sum) => control.report({ type: 'usage', ...sum }));
  const reader = adapterOf(seat.executor.kind).reader(seat, around);
  const requests = {
    open: () => undefined,
    withdraw: () => undefined,
    progress: () => undefined,
    listens: () => undefined,
  };
  const listener = new AgentListener({ reader, requests, output, control, tally });
  let stopped: unknown = null;
  listener.onStop((why) => {
    stopped ??= why;
  });
  for (const piece of out) listener.push('out', piece);
  if (err !== '') listener.push('err', err);
  const outcome = listener.end(exit);
  return { outcome, output: output.parse(null), lines, seen: control.seen, stopped };
}

class QuietLog extends AttemptLog {
  readonly #lines: string[];

  constructor(lines: string[]) {
    super('/dev/null', { base: '/dev', limitBytes: 1, clock: () => 0 });
    this.close();
    this.#lines = lines;
  }

  override write(_source: string, lines: readonly string[]): void {
    this.#lines.push(...lines);
  }
}

/** A program in a file of its own: what it is called with is in `args`, its prompt in `prompt`. */
export function program(source: string): string {
  const head = `#!${process.execPath}
const args = process.argv.slice(2);
const fs = require('node:fs');
/** The line that holds the prompt, of a conversation whose input stays open; else all that comes. */
const promptLine = () => {
  let text = '';
  for (const byte = Buffer.alloc(1); !/"type":"user".*\\n$/s.test(text) && fs.readSync(0, byte) > 0; ) {
    text += byte.toString('latin1');
  }
  const line = Buffer.from(text, 'latin1').toString('utf8').trim().split('\\n').at(-1);
  return JSON.parse(line.trim()).message.content[0].text;
};
const prompt = args.includes('--input-format=stream-json') ? promptLine() : fs.readFileSync(0, 'utf8');
const say = (line) => console.log(typeof line === 'string' ? line : JSON.stringify(line));
const init = { type: 'system', subtype: 'init', session_id: 'abc-1', model: 'small', claude_code_version: '9.9' };
const tell = (text, usage) => say({ type: 'assistant', message: { id: 'm' + Math.random(), model: 'small', usage, content: [{ type: 'text', text }] } });
const result = (more) => say({ type: 'result', subtype: 'success', is_error: false, result: 'x', total_cost_usd: 0.5, usage: { input_tokens: 100, cache_read_input_tokens: 40, output_tokens: 7 }, ...more });
`;
  const path = put(givenFolder(), 'agent.cjs', `${head}\n${source}\n`);
  chmodSync(path, 0o755);
  return path;
}
