// A worker that shares nothing with Bosun but Redis and a git remote: homes, folders and git identities of their own. It
// dies, it is asked to end, and its agent asks a person; what it does arrives in Bosun's checkout all the same.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { acceptProjectRules } from '../accept-rules.js';
import { isRunning } from '../agents/attempts/given.js';
import { bosun, newFolder, type Started, start } from '../cli/given.js';
import { openHome } from '../open-home.js';
import { describeRedis } from '../redis/describe-redis.js';
import { type RedisServer, startRedis } from '../redis/server.js';

const soon = { timeout: 20_000, interval: 50 };
const leaseS = 2;

const agent = `
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
const { BOSUN_STEP: step, BOSUN_URL: url, BOSUN_TOKEN: token, BOSUN_ROOT: root, NOTES: notes, HANG: hang } = process.env;
const email = execFileSync('git', ['config', 'user.email'], { encoding: 'utf8' }).trim();
const before = existsSync(notes) ? readFileSync(notes, 'utf8') : '';
appendFileSync(notes, JSON.stringify({ step, pid: process.pid, cwd: process.cwd(), root, email, prompt: readFileSync(0, 'utf8') }) + '\\n');
const report = (more) => {
  for (const [name, text] of Object.entries(more)) writeFileSync(name, text);
  console.log('STATUS: pass');
};
if (step === 'make' && hang === '1' && !before.includes('"make"')) setInterval(() => undefined, 1_000);
else if (step === 'make') report({ 'made.txt': 'made elsewhere\\n' });
else {
  const body = JSON.stringify({ key: 'which', question: 'Which colour for ' + process.cwd() + '/made.txt?', wait_s: 5 });
  const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' };
  for (let tries = 0; tries < 10; tries += 1) {
    const said = await (await fetch(url + '/agent/ask', { method: 'POST', headers, body })).json();
    if (said.state === 'waiting') continue;
    report({ 'colour.txt': readFileSync('made.txt', 'utf8') + said.text + '\\n' });
    break;
  }
}
`;

const noteSchema = z.object({
  step: z.string(),
  pid: z.number(),
  cwd: z.string(),
  root: z.string(),
  email: z.string(),
  prompt: z.string(),
});
const statusSchema = z.object({
  run: z.object({ status: z.string() }).nullable(),
  interactions: z.array(z.object({ id: z.string(), kind: z.string(), text: z.string() })),
});

/** One of two machines that have nothing in common but what lies outside of their folders. */
interface Machine {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

function machineOf(who: string, config: string | null): Machine {
  const folder = newFolder();
  const [home, user] = [join(folder, 'bosun'), join(folder, 'user')];
  for (const one of [home, user]) mkdirSync(one, { mode: 0o700 });
  writeFileSync(join(user, '.gitconfig'), `[user]\n\tname = ${who}\n\temail = ${who}@example.org\n`);
  if (config !== null) writeFileSync(join(home, 'config.yaml'), config);
  return {
    home,
    env: { HOME: user, XDG_CONFIG_HOME: join(user, '.config'), GIT_CONFIG_GLOBAL: join(user, '.gitconfig') },
  };
}

interface Place {
  readonly root: string;
  readonly remote: string;
  readonly bosun: Machine;
  up(): Promise<Started>;
  worker(machine: Machine, ...more: readonly string[]): Promise<Started>;
  readonly notesPath: string;
  notes(): readonly z.infer<typeof noteSchema>[];
  status(): Promise<z.infer<typeof statusSchema>>;
}

/** `hang`: 1 lets the first try of `make` never end. */
function givenPlace(redis: RedisServer, steps: readonly string[], queue: string, hang = '0'): Place {
  const folder = newFolder();
  const [root, remote] = [join(folder, 'shop'), join(folder, 'remote.git')];
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', root, ...args]);
  mkdirSync(join(root, '.ai/workflows'), { recursive: true });
  writeFileSync(join(root, 'agent.mjs'), agent);
  const chain = steps.map((id) => `  - { id: ${id}, prompt: "Work in ${root}.", timeout: 1m }`);
  writeFileSync(join(root, '.ai/workflows/afar.yaml'), `workflow: afar\nversion: 1\nchain:\n${chain.join('\n')}\n`);
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote]);
  git('init', '-q', '-b', 'main');
  git('add', 'agent.mjs');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-q', '-m', 'the shop');
  git('remote', 'add', 'origin', remote);
  git('push', '-q', 'origin', 'main');
  const config = [
    `executors: { agent: { kind: command, run: [node, agent.mjs], pass_env: [NOTES, HANG] } }`,
    `projects: { shop: { root: "${root}", git: { remote: origin }, workflow: afar, executor: agent, level: auto } }`,
    queue,
  ];
  const there = machineOf('bosun', `${config.join('\n')}\n`);
  acceptProjectRules(there.home, root);
  const notesPath = join(newFolder(), 'notes');
  return {
    ...{ root, remote, notesPath, bosun: there },
    async up() {
      const started = await start(['up', '--no-worker', '--port', '0'], there);
      await started.line(/^ready /);
      return started;
    },
    worker: ({ home, env }, ...more) =>
      start(['worker', '--name', 'far', ...more], {
        home,
        env: { ...env, REDIS_URL: redis.url, NOTES: notesPath, HANG: hang },
      }),
    notes() {
      if (!existsSync(notesPath)) return [];
      const lines = readFileSync(notesPath, 'utf8').trimEnd().split('\n');
      return lines.map((line) => noteSchema.parse(JSON.parse(line)));
    },
    async status() {
      const { out } = await bosun(['status', 'shop', '--json'], there);
      return statusSchema.parse(JSON.parse(out));
    },
  };
}

async function ended(...processes: readonly Started[]): Promise<readonly (number | null)[]> {
  for (const { child } of processes) child.kill('SIGTERM');
  return Promise.all(processes.map(async (one) => (await one.ended).code));
}

describeRedis('a worker on another machine', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.end());
  beforeEach(() => redis.client.flushall());

  it('completes a run through Redis and a git remote alone, across a SIGKILL and a SIGTERM', async () => {
    const queue = `queue: { redis: "${redis.url}", lease_s: ${leaseS} }\n`;
    const place = givenPlace(redis, ['make', 'ask'], queue, '1');
    const far = machineOf('worker', queue);
    const service = await place.up();
    const first = await place.worker(far);
    await first.line(/^ready far$/);
    expect((await bosun(['run', 'shop', 'paint it'], place.bosun)).code).toBe(0);

    // Killed: its guard ends its agent at once (decision 18), and the next worker of that home takes the job.
    const steps = () => place.notes().map(({ step }) => step);
    await expect.poll(steps, soon).toEqual(['make']);
    const { pid = 0 } = place.notes()[0] ?? {};
    first.child.kill('SIGKILL');
    await first.ended;
    await expect.poll(() => isRunning(pid), soon).toBe(false);
    // A worker that never has done what it has ends all the same, and the test says what is missing.
    const second = await place.worker(far, '--drain', '20');
    await second.line(/^ready far$/);

    // Its agent asks a person, in Bosun's paths. Asked to end, the worker finishes what it has: the answer from the chat
    // still comes to the agent, and what it did arrives.
    await expect.poll(steps, soon).toEqual(['make', 'make', 'ask']);
    expect(readFileSync(join(place.root, 'made.txt'), 'utf8')).toBe('made elsewhere\n');
    const asked = async () => (await place.status()).interactions.map(({ kind, text }) => `${kind} ${text}`).join();
    await expect.poll(asked, soon).toContain(`${place.root}/made.txt?`);
    second.child.kill('SIGTERM');
    const [question] = (await place.status()).interactions;
    const answer = await bosun(['press', `${question?.id}.answer`, '--text', 'green'], place.bosun);
    expect(answer.code, answer.err).toBe(0);
    expect((await second.ended).code).toBe(0);
    await expect.poll(async () => (await place.status()).run?.status, soon).toBe('completed');
    expect(readFileSync(join(place.root, 'colour.txt'), 'utf8')).toBe('made elsewhere\ngreen\n');

    // It never was where Bosun is, and nothing of it stays at the remote.
    for (const { cwd, root, email, prompt } of place.notes()) {
      expect([cwd.startsWith(join(realpathSync(far.home), 'clones')), root, email]).toEqual([
        true,
        cwd,
        'worker@example.org',
      ]);
      expect(prompt).toContain(`Work in ${cwd}.`);
    }
    const refs = () => execFileSync('git', ['-C', place.remote, 'for-each-ref', 'refs/bosun'], { encoding: 'utf8' });
    await expect.poll(refs, soon).toBe('');
    expect(readdirSync(join(far.home, 'underway'))).toEqual([]);
    expect((await bosun(['verify'], place.bosun)).out).toMatch(/^ok: 1 run/);
    expect(await ended(service)).toEqual([0]);
  }, 120_000);

  it('needs only an empty home and REDIS_URL, and waits for its Bosun', async () => {
    const place = givenPlace(redis, ['make'], `queue: { redis: "${redis.url}" }`);
    const far = machineOf('worker', null);
    const worker = await place.worker(far);
    const service = await place.up();
    await worker.line(/^ready far$/);
    const done = await bosun(['run', 'shop', 'paint it', '--wait', '--timeout', '50'], place.bosun);
    expect(done.code, done.out + done.err).toBe(0);
    expect(readFileSync(join(place.root, 'made.txt'), 'utf8')).toBe('made elsewhere\n');
    // Its own home has a secret, as every home; Bosun's stays where it is.
    expect(openHome(far.home).homeId).not.toBe(openHome(place.bosun.home).homeId);
    expect(await ended(worker, service)).toEqual([0, 0]);
    expect((await worker.ended).out).toBe('ready far\n');
  });

  it('ends when it shares the disk of the home but Bosun is active on another one', async () => {
    const place = givenPlace(redis, ['make'], `queue: { redis: "${redis.url}" }`);
    const service = await place.up();
    const worker = await place.worker(place.bosun);
    await worker.line(/^ready far$/);
    // As on a machine that another one took over from.
    writeFileSync(join(place.bosun.home, 'disk-mark'), 'of another time');
    expect((await bosun(['run', 'shop', 'paint it'], place.bosun)).code).toBe(0);
    const { code, err } = await worker.ended;
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/error: queue: The Bosun of h\w+ now runs on another machine/),
    ]);
    expect(place.notes()).toEqual([]);
    expect(await ended(service)).toEqual([0]);
  });

  it('asks which home to serve when there are several, and refuses an invalid home id', async () => {
    const far = machineOf('worker', null);
    const run = (...more: readonly string[]) =>
      bosun(['worker', '--name', 'far', ...more], { home: far.home, env: { ...far.env, REDIS_URL: redis.url } });
    for (const id of ['h00000001', 'h00000002']) await redis.client.set(`bosun-${id}:alive`, 'x', 'PX', 60_000);
    const asked = await run();
    expect(asked.code).toBe(2);
    expect(asked.err).toContain('Several Bosuns are active on this Redis: h00000001, h00000002');
    const odd = await run('--for', 'shop');
    expect([odd.code, odd.err]).toEqual([2, expect.stringContaining('"shop" is not a home id')]);
  });
});
