// An agent at work asks a person, from its own process through `bosun mcp` to the card and back; Bosun itself is a
// process too, which may be killed.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { acceptProjectRules } from '../accept-rules.js';
import { built } from '../cli/given.js';
import { killAll, type Service, startService } from '../crash/service.js';
import { openHome } from '../open-home.js';

const root = join(import.meta.dirname, '../..');
const main = join(root, 'dist/main.js');
const patient = { interval: 20, timeout: 30_000 };

vi.setConfig({ testTimeout: 90_000 });
beforeAll(() => built(), 120_000);
afterAll(killAll);

type Calls = readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[];

const which = ['ask_human', { question: 'Which store?', options: ['JWT', 'a cookie'] }] as const;
const publish = (id: string) =>
  ['permission_prompt', { tool_name: 'Bash', input: { command: 'npm publish' }, tool_use_id: id }] as const;

const card = z.object({
  id: z.string(),
  kind: z.string(),
  text: z.string(),
  options: z.array(z.object({ label: z.string(), press: z.string() })),
});
const status = z.object({
  health: z.string(),
  run: z.object({ status: z.string() }).nullable(),
  nodes: z.array(z.object({ state: z.string(), attempt: z.number(), outcome: z.string().nullable() })),
  interactions: z.array(card),
});
const spoken = z.object({ exit: z.number(), items: z.array(z.object({ kind: z.string(), text: z.string() })) });
const noted = z.object({
  prompt: z.string().optional(),
  pid: z.number().optional(),
  tool: z.string().optional(),
  told: z.string().optional(),
});

class Asking {
  readonly #folder: string;
  readonly #token: string;
  #service: Service | null = null;
  #port = 0;

  constructor(folder: string, token: string) {
    this.#folder = folder;
    this.#token = token;
  }

  async up(): Promise<void> {
    this.#service = startService(main, join(this.#folder, 'home'), {});
    this.#port = (await this.#service.ready) ?? 0;
    if (this.#port === 0) throw new Error(`it does not start: ${this.#service.said()}`);
  }

  async kill(): Promise<void> {
    await this.#service?.kill();
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
  }

  async #call(path: string, body?: unknown): Promise<unknown> {
    const how = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const headers = { authorization: `Bearer ${this.#token}` };
    const answer = await fetch(`http://127.0.0.1:${this.#port}${path}`, { ...how, headers });
    const text = await answer.text();
    return path === '/api/requests' ? text : JSON.parse(text);
  }

  run(): Promise<unknown> {
    return this.#call('/api/requests', { do: 'run', project: 'shop', task: 'Build it' });
  }

  async press(press: string, by: { readonly as?: string; readonly text?: string; readonly wait?: boolean } = {}) {
    return spoken.parse(await this.#call('/api/press', { press, ...by }));
  }

  async say(text: string, more: Readonly<Record<string, unknown>> = {}) {
    return spoken.parse(await this.#call('/api/say', { text, ...more }));
  }

  async status() {
    return status.parse(await this.#call('/api/projects/shop'));
  }

  /** The one card that is open, once there is one of this kind. */
  card(kind: string, isNew: (id: string) => boolean = () => true) {
    return vi.waitFor(async () => {
      const open = (await this.status()).interactions.filter((one) => one.kind === kind && isNew(one.id));
      if (open.length !== 1) throw new Error(`${open.length} cards: ${this.#service?.said()} ${this.notes()}`);
      return card.parse(open[0]);
    }, patient);
  }

  over(wanted = 'completed') {
    return vi.waitFor(async () => expect((await this.status()).run?.status).toBe(wanted), patient);
  }

  notes(): readonly z.infer<typeof noted>[] {
    const file = join(this.#folder, 'notes.jsonl');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => noted.parse(JSON.parse(line)));
  }

  told(): readonly string[] {
    return this.notes().flatMap(({ told }) => told ?? []);
  }

  prompts(): readonly string[] {
    return this.notes().flatMap(({ prompt }) => prompt ?? []);
  }

  /** What was posted, as it was, until something has these words. */
  async posted(words: string): Promise<string> {
    const stop = AbortSignal.timeout(20_000);
    const headers = { authorization: `Bearer ${this.#token}` };
    const url = `http://127.0.0.1:${this.#port}/api/stream?thread=local&after=m0`;
    const answer = await fetch(url, { headers, signal: stop });
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes(words)) return text;
    }
    throw new Error(`nobody said "${words}"`);
  }
}

async function given(
  plan: readonly Calls[],
  { withinS = 60, access = 'write', timeout = '10m' } = {},
): Promise<Asking> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-asking-')));
  const project = join(folder, 'shop');
  mkdirSync(join(project, '.ai', 'workflows'), { recursive: true });
  writeFileSync(join(project, '.ai/workflows/one.yaml'), workflow(access, timeout));
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: project, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
  const home = openHome(join(folder, 'home'));
  acceptProjectRules(home.dir, project);
  const agent = join(import.meta.dirname, 'fixtures/asking-agent.mjs');
  const members = { ada: 'operator', bob: 'operator', rita: 'reviewer', vic: 'viewer' };
  const run = [process.execPath, agent, folder, main];
  const config = {
    executors: { agent: { kind: 'command', run, answer_within_s: withinS } },
    projects: { shop: { root: project, workflow: 'one', executor: 'agent', members } },
  };
  writeFileSync(home.configPath, JSON.stringify(config), { mode: 0o600 });
  const asking = new Asking(folder, home.apiToken);
  await asking.up();
  onTestFinished(async () => {
    await asking.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  await asking.run();
  return asking;
}

const workflow = (access: string, timeout: string) => `
workflow: one
version: 1
roles: { builder: { access: ${access} } }
chain:
  - { id: build, kind: task, role: builder, prompt: Build it., timeout: ${timeout}, abandons: 2 }
`;

const pressOf = ({ options }: z.infer<typeof card>, label: string): string => {
  const found = options.find((one) => one.label === label);
  if (!found) throw new Error(`it offers ${options.map((one) => one.label).join(', ')}, not ${label}`);
  return found.press;
};

describe("an agent's question", () => {
  it('shows its answers as buttons, and the agent continues with the pressed one', async () => {
    const bosun = await given([[which]]);
    const open = await bosun.card('question');
    expect(open.text).toContain('Which store?');
    expect(open.options.map(({ label }) => label)).toEqual(['JWT', 'a cookie', 'Another answer', 'Abort']);
    expect(await bosun.press(pressOf(open, 'JWT'), { as: 'vic' })).toMatchObject({ exit: 3 });
    expect(await bosun.press(pressOf(open, 'Abort'), { as: 'rita' })).toMatchObject({ exit: 3 });
    expect(bosun.told()).toEqual([]);
    expect(await bosun.press(pressOf(open, 'JWT'), { as: 'rita' })).toMatchObject({ exit: 0 });
    await bosun.over();
    expect(bosun.told()).toEqual(['rita answered:\nJWT']);
    expect(bosun.prompts()).toHaveLength(1);
    const late = await bosun.press(pressOf(open, 'a cookie'), { as: 'ada' });
    expect(late.items[0]?.text).toMatch(/already closed.*JWT by Rita/s);
  });

  it('takes a free-text reply, and "continue" shows it again', async () => {
    const bosun = await given([[which]]);
    const { id } = await bosun.card('question');
    const again = await bosun.say('continue shop');
    expect(again.items.some(({ text }) => text.includes('Which store?') && text.includes(id))).toBe(true);
    const message = /"message":"(m\d+)"[^\n]*Which store\?/.exec(await bosun.posted('Which store?'))?.[1];
    await bosun.say('neither, use Redis', { reply_to: message });
    await bosun.over();
    expect(bosun.told()).toEqual(['owner answered:\nneither, use Redis']);
  });

  it('does not count against the timeout of its step', async () => {
    const bosun = await given([[which]], { timeout: '5s' });
    const open = await bosun.card('question');
    // Longer than the step may take, start and end included.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    await bosun.press(pressOf(open, 'JWT'));
    await bosun.over();
    expect(bosun.prompts()).toHaveLength(1);
    expect((await bosun.status()).nodes[0]).toMatchObject({ attempt: 1, outcome: 'pass' });
  });

  it('survives the end of its agent: a later answer goes into the next prompt', async () => {
    const bosun = await given([[which], []], { withinS: 1 });
    const open = await bosun.card('question');
    await vi.waitFor(async () => expect((await bosun.status()).nodes[0]?.state).toBe('needs_human'), patient);
    expect((await bosun.card('question')).id).toBe(open.id);
    expect(bosun.prompts()).toHaveLength(1);
    await bosun.press(pressOf(open, 'a cookie'));
    await bosun.over();
    expect(bosun.prompts()).toHaveLength(2);
    expect(bosun.prompts()[1]).toContain('a cookie');
    expect(bosun.prompts()[1]).toContain('Which store?');
  });
});

describe("an agent's permission request", () => {
  it('is granted once, then for the run, after which no card asks again', async () => {
    const bosun = await given([[publish('u1'), publish('u2'), publish('u3')]]);
    const first = await bosun.card('permission');
    expect(first.options.map(({ label }) => label)).toEqual(['Allow once', 'Allow for this run', 'Deny']);
    expect(first.text).toMatch(/^Bash asks for:\n\| npm publish\nMark: [0-9a-f]{12}$/);
    const notHis = await bosun.press(pressOf(first, 'Allow once'), { as: 'rita' });
    expect(notHis).toMatchObject({
      exit: 3,
      items: [{ text: expect.stringMatching(/^You're an? \w+ in \w+; .* takes an? /) }],
    });
    await bosun.press(pressOf(first, 'Allow once'), { as: 'ada' });
    const second = await bosun.card('permission', (id) => id !== first.id);
    await bosun.press(pressOf(second, 'Allow for this run'), { as: 'ada' });
    await bosun.over();
    const allowed = JSON.stringify({ behavior: 'allow', updatedInput: { command: 'npm publish' } });
    expect(bosun.told()).toEqual([allowed, allowed, allowed]);
    expect(await bosun.posted('Allowed for this run ·')).toContain('Allowed once ·');
    expect((await bosun.press(pressOf(first, 'Deny'))).items[0]?.text).toContain('Allowed once by Ada');
  });

  it('is denied by a person, with a reason', async () => {
    const bosun = await given([[publish('u1')]]);
    const open = await bosun.card('permission');
    await bosun.press(pressOf(open, 'Deny'), { as: 'bob', text: 'not before Monday' });
    await bosun.over();
    expect(bosun.told()).toEqual([JSON.stringify({ behavior: 'deny', message: 'Refused by bob: not before Monday' })]);
    expect(await bosun.posted('Denied ·')).toContain('not before Monday');
  });

  it('is refused after its deadline, and its card says so', async () => {
    const bosun = await given([[publish('u1')]], { withinS: 1 });
    const open = await bosun.card('permission');
    await vi.waitFor(() => expect(bosun.told()).toHaveLength(1), patient);
    expect(bosun.told()[0]).toMatch(/"deny".*no one answered in time/);
    expect(await bosun.posted('Expired ·')).toContain('nobody answered in time');
    expect((await bosun.press(pressOf(open, 'Allow once'))).items[0]?.text).toContain('nobody answered in time');
  });

  it('is refused without a card in a read-only step', async () => {
    const bosun = await given([[publish('u1')]], { access: 'read' });
    await bosun.over();
    expect(bosun.told()[0]).toMatch(/"deny".*read-only/);
    expect((await bosun.status()).interactions).toEqual([]);
  });

  it('accepts one of two simultaneous presses and tells the other person who won', async () => {
    const bosun = await given([[publish('u1')]]);
    const open = await bosun.card('permission');
    const both = await Promise.all([
      bosun.press(pressOf(open, 'Allow once'), { as: 'ada' }),
      bosun.press(pressOf(open, 'Deny'), { as: 'bob' }),
    ]);
    expect(both.map(({ exit }) => exit).sort()).toEqual([0, 3]);
    const isAllowed = both[0]?.exit === 0;
    const late = both[isAllowed ? 1 : 0];
    expect(late?.items.map(({ text }) => text).join('\n')).toContain(isAllowed ? 'by Ada' : 'by Bob');
    await bosun.over();
    expect(bosun.told()).toEqual([expect.stringContaining(isAllowed ? '"allow"' : '"deny"')]);
  });
});

describe('a Bosun killed while an agent waits for an answer', () => {
  it('runs the step again, asks anew, and reports the old card as no longer asked', async () => {
    const bosun = await given([[which]]);
    const old = await bosun.card('question');
    const [first] = bosun.notes();
    await bosun.kill();
    await bosun.up();
    const open = await bosun.card('question', (id) => id !== old.id);
    expect(bosun.prompts()).toHaveLength(2);
    await vi.waitFor(() => expect(isAlive(first?.pid ?? 0)).toBe(false), patient);
    const late = await bosun.press(pressOf(old, 'JWT'));
    expect(late).toMatchObject({ exit: 3, items: [{ text: expect.stringContaining('Closed') }] });
    expect(bosun.told()).toEqual([]);
    await bosun.press(pressOf(open, 'a cookie'));
    await bosun.over();
    expect(bosun.told()).toEqual(['owner answered:\na cookie']);
  });
});

/** One that has ended and that nobody has asked about still has its number. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
