import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { codingAgents } from '../../../src/agents/index.js';
import { loadConfig } from '../../../src/config/index.js';
import { isRunning } from '../../agents/attempts/given.js';
import { backRef, type Elsewhere, givenElsewhere, slate } from './given.js';

const soon = { timeout: 10_000, interval: 20 };

/** What the agent wrote down of itself. */
function seenBy(path: string): string {
  return `{ pwd; echo "$BOSUN_ROOT"; echo "$BOSUN_WORKDIR"; echo "$BOSUN_SHARED_DIR"; echo "$BOSUN_URL"; cat; } > '${path}'`;
}

function atRemote({ remote }: Elsewhere): string {
  return execFileSync('git', ['-C', remote, 'for-each-ref', '--format=%(refname)', 'refs/bosun'], { encoding: 'utf8' });
}

describe('an attempt on a worker without the home’s disk', () => {
  it('works in its own copy of the checkout, and its work is applied to Bosun’s', async () => {
    const world = await givenElsewhere({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
    world.shop.write('a.txt', 'not committed\n');
    world.shop.write('new.txt', 'untracked\n');
    const { path, read } = slate();
    const agent = `${seenBy(path)}; cat a.txt new.txt >> '${path}'; git branch --show-current; git -c user.name=A -c user.email=a@b.c commit -q --allow-empty -m mine; echo done > made.txt; rm b.txt; echo "STATUS: pass"`;
    const running = world.run(agent, { prompt: `Work in ${world.shop.root}.` });
    const done = await running.done;
    expect(done).toMatchObject({ fault: null, killed: null, exit: 0, pushed: { ref: backRef } });
    const [cwd = '', root, workdir, shared, url, ...rest] = read().split('\n');
    expect([root, workdir, shared]).toEqual([cwd, cwd, join(cwd, '.ai/runs/r1')]);
    expect(cwd.startsWith(join(world.home, 'clones'))).toBe(true);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(rest.join('\n')).toBe(`Work in ${cwd}.not committed\nuntracked\n`);
    expect(await world.take(done)).toEqual({ kind: 'taken', stayed: [] });
    expect([world.shop.read('made.txt'), world.shop.has('b.txt')]).toEqual(['done\n', false]);
    expect(done.output.tail).toContain('main');
    expect(world.shop.git('log', '-1', '--format=%s').trim()).toBe('mine');
    // The log of the agent lies where Bosun looks for it.
    expect(done.logPath).toBe(join(world.shop.root, '.ai/runs/r1/logs/_/impl.jsonl'));
    expect(world.log()).toContain('STATUS: pass');
    expect(running.said()).toEqual(['fetching shop', 'fetching shop', '', 'sending its work back']);
  });

  it('keeps ignored files for the next attempt, and runs setup once', async () => {
    const world = await givenElsewhere({ 'a.txt': 'one\n', '.gitignore': 'cache\n' });
    world.setup = 'echo "$BOSUN_ROOT" >> cache';
    const agent = 'cat cache; pwd; echo "STATUS: pass"';
    const running = world.run(agent);
    const first = await running.done;
    expect(running.said()).toContain('setting up');
    const second = await world.run(agent).done;
    expect(second.output.tail).toBe(first.output.tail);
    const [made, cwd] = first.output.tail.split('\n');
    expect(made).toBe(cwd);
  });

  it('passes its agent only environment named by the job, unless the local config defines the executor', async () => {
    const world = await givenElsewhere();
    vi.stubEnv('OF_THE_WORKER', 'passed on');
    const bare = await world.run('echo "is: $OF_THE_WORKER $OWN_KEY."; echo "STATUS: pass"').done;
    expect(bare.output.tail).toContain('is: passed on .');
    const configPath = join(world.home, 'config.yaml');
    writeFileSync(configPath, 'executors: { agent: { kind: command, run: [x], env: { OWN_KEY: of-the-worker } } }\n');
    const config = loadConfig({ configPath, agents: codingAgents, channels: [], reservedWords: new Set<string>() }, {});
    const known = await world.run('echo "is: $OWN_KEY."; echo "STATUS: pass"', {}, { config: () => config }).done;
    // A secret of the worker's own does not leave it.
    expect(known.output.tail).toContain('is: [redacted].');
    vi.unstubAllEnvs();
  });

  it('redacts secrets from the worker’s environment in all messages, but leaves the work unchanged', async () => {
    vi.stubEnv('SUPER_SECRET_TOKEN', 'hunter2hunter2');
    const world = await givenElsewhere();
    const executor = { kind: 'command' as const, run: ['./agent.sh'], env: {}, passEnv: ['SUPER_SECRET_TOKEN'] };
    const say = (path: string, body: string) =>
      `curl -sS -X POST -H "Authorization: Bearer $BOSUN_TOKEN" -d "${body}" "$BOSUN_URL${path}"`;
    const agent = [
      'echo "it is $SUPER_SECRET_TOKEN"; echo "and $SUPER_SECRET_TOKEN" >&2; echo "$SUPER_SECRET_TOKEN" > made.txt',
      say('/agent/ask', '{\\"question\\":\\"Is it $SUPER_SECRET_TOKEN?\\"}'),
      say('/agent/progress', '{\\"text\\":\\"with $SUPER_SECRET_TOKEN\\"}'),
      'mkdir -p .ai; printf -- "---\\nstep: impl\\n---\\nhanded $SUPER_SECRET_TOKEN on\\n" > .ai/HANDOFF.md',
      'echo; echo "SUMMARY: done with $SUPER_SECRET_TOKEN"; echo "STATUS: failing"',
    ].join('\n');
    const job = { executor, check: 'cat made.txt; false', ownerLines: ['cat made.txt; false'] };
    const done = await world.run(agent, job).done;
    expect(done).toMatchObject({ fault: null, pushed: { ref: backRef } });
    expect(done.output.tail).toContain('it is [redacted]');
    expect(await world.take(done, job)).toMatchObject({ kind: 'taken' });
    const log = world.log();
    expect(log).toContain('it is [redacted]');
    expect(world.calls).toHaveLength(2);
    expect(JSON.stringify([done, world.told, world.calls, world.logged, log])).not.toContain('hunter2');
    // What it did is its own: a project may hold what looks like a secret.
    expect(world.shop.read('made.txt')).toBe('hunter2hunter2\n');
    vi.unstubAllEnvs();
  });

  it('lets its agent call Bosun while it runs, and not afterwards', async () => {
    const world = await givenElsewhere();
    world.reply = {
      status: 200,
      body: JSON.stringify({ state: 'answered', text: `see ${world.shop.root}/a.txt`, by: 'ada' }),
    };
    const { path, read } = slate();
    const ask = `curl -sS -X POST -H "Authorization: Bearer $BOSUN_TOKEN" -d "{\\"question\\":\\"$PWD/a.txt?\\"}" "$BOSUN_URL/agent/ask"`;
    await world
      .run(`echo "$BOSUN_URL" > '${path}'; ${ask}; pwd >> '${path}'; echo; echo "STATUS: pass"`)
      .done.then((done) => {
        const [, cwd = ''] = read().split('\n');
        expect(done.output.tail).toContain(`see ${world.shop.root}/a.txt`);
        expect(cwd).toContain(world.home);
      });
    expect(world.calls.map(({ body }) => JSON.parse(body))).toEqual([{ question: `${world.shop.root}/a.txt?` }]);
    const [url = ''] = read().split('\n');
    const late = await fetch(`${url}/agent/ask`, {
      method: 'POST',
      headers: { authorization: 'Bearer the-token-of-a1' },
    });
    expect(late.status).toBe(403);
  });

  it('of an item’s worktree uses one checkout for project and worktree', async () => {
    const world = await givenElsewhere();
    const workdir = join(world.shop.root, '../tree');
    world.shop.git('worktree', 'add', '-q', '-b', 'ralph/US-001', workdir);
    const { path, read } = slate();
    const job = {
      workdir,
      item: 'US-001',
      slot: 0,
      executor: {
        kind: 'command' as const,
        run: ['sh', '-c', `${seenBy(path)}; git branch --show-current; echo x > own.txt; echo "STATUS: pass"`],
        env: {},
        passEnv: [],
      },
    };
    const done = await world.run('', job).done;
    const [cwd = '', root, , shared = ''] = read().split('\n');
    expect([done.fault, root]).toEqual([null, cwd]);
    expect(shared.startsWith(cwd)).toBe(false);
    expect(shared.startsWith(join(world.home, 'clones'))).toBe(true);
    expect(done.output.tail).toContain('ralph/US-001');
    expect(await world.take(done, job)).toEqual({ kind: 'taken', stayed: [] });
    expect(existsSync(join(workdir, 'own.txt'))).toBe(true);
    expect(world.shop.has('own.txt')).toBe(false);
  });
});

describe('a failing attempt on a remote worker', () => {
  it('reports Bosun’s reason if there is no checkout to work on', async () => {
    const world = await givenElsewhere();
    world.fetch = () => Promise.reject(new Error('shop has no git.remote'));
    expect((await world.run('true').done).fault).toEqual({
      code: 'worker_freight',
      message: "On Bosun's machine: shop has no git.remote",
      remedy: 'ask',
    });
  });

  it('names the remote that it cannot reach', async () => {
    const world = await givenElsewhere();
    const remote = join(world.remote, 'gone.git');
    world.fetch = () =>
      Promise.resolve({
        remote,
        ref: 'refs/bosun/h1/a1/out',
        commit: 'a'.repeat(40),
        backRef,
        prefix: '',
        setup: null,
      });
    const { fault } = await world.run('true').done;
    expect(fault).toMatchObject({ code: 'worker_fetch', remedy: 'ask' });
    expect(fault?.message).toContain(hostname());
    expect(fault?.message).toContain(`${remote} could not be cloned: origin cannot be reached`);
  });

  it('quotes the output of a failed setup, and does not run the agent', async () => {
    const world = await givenElsewhere();
    world.setup = 'echo no such package; exit 3';
    const { path, read } = slate();
    const { fault, pushed } = await world.run(`echo ran > '${path}'`).done;
    expect([fault?.code, fault?.remedy, pushed, read()]).toEqual(['worker_setup', 'ask', undefined, '']);
    expect(fault?.message).toContain('no such package');
    expect(fault?.message).toContain(`Fix it on ${hostname()}`);
  });

  it('says where the work is kept if the remote rejects the push', async () => {
    const world = await givenElsewhere();
    const hook = join(world.remote, 'hooks/pre-receive');
    mkdirSync(join(world.remote, 'hooks'), { recursive: true });
    const agent = `printf '#!/bin/sh\\nexit 1\\n' > '${hook}'; chmod +x '${hook}'; echo x > made.txt; echo "STATUS: pass"`;
    const done = await world.run(agent).done;
    expect([done.fault?.code, done.fault?.remedy, done.pushed]).toEqual(['worker_push', 'ask', undefined]);
    // What it said of itself stays with it.
    expect(done.exit).toBe(0);
    const [, clone = ''] =
      / kept on \S+, in (.+) as refs\/bosun\/h1\/a1\/back\.$/m.exec(done.fault?.message ?? '') ?? [];
    const kept = execFileSync('git', ['-C', clone, 'show', `${backRef}:work/made.txt`], { encoding: 'utf8' });
    expect([kept, done.fault?.message.includes(hostname())]).toEqual(['x\n', true]);
  });

  it('keeps a checkout in the middle of a merge, and the next attempt uses another', async () => {
    const world = await givenElsewhere();
    const git = 'git -c user.name=A -c user.email=a@b.c';
    const merge = `${git} switch -qc side; echo side > a.txt; ${git} commit -qam side; ${git} switch -q main; echo mine > a.txt; ${git} commit -qam mine; ${git} merge side`;
    const { path, read } = slate();
    const done = await world.run(`pwd > '${path}'; echo new > new.txt; ${merge}; echo "STATUS: pass"`).done;
    const top = read().trim();
    expect([done.fault?.code, done.fault?.remedy, done.pushed]).toEqual(['worker_checkout', 'ask', undefined]);
    expect(done.fault?.message).toMatch(/a merge is unfinished .*git merge --abort\..* kept on \S+ in \S+/s);
    expect(done.fault?.message).toContain(top);
    const next = await world.run('pwd; cat a.txt; echo "STATUS: pass"').done;
    expect([next.fault, next.output.tail.includes(`${top}\n`)]).toEqual([null, false]);
    expect(next.output.tail).toContain('\none\n');
    const kept = (...args: readonly string[]) => execFileSync('git', ['-C', top, ...args], { encoding: 'utf8' });
    expect([kept('status', '--porcelain'), kept('log', '-1', '--format=%s', 'main')]).toEqual([
      'UU a.txt\n?? agent.sh\n?? new.txt\n',
      'mine\n',
    ]);
  });

  it('waits for a remote that is briefly away', async () => {
    const world = await givenElsewhere();
    const hidden = `${world.remote}.away`;
    const running = world.run(`mv '${world.remote}' '${hidden}'; echo x > made.txt; echo "STATUS: pass"`);
    await expect.poll(running.said, soon).toContain('sending its work back');
    renameSync(hidden, world.remote);
    const done = await running.done;
    expect([done.fault, await world.take(done)]).toEqual([null, { kind: 'taken', stayed: [] }]);
    expect(world.shop.read('made.txt')).toBe('x\n');
  });

  it('gives up on a remote that stays away, with a hint', async () => {
    const world = await givenElsewhere();
    const agent = `mv '${world.remote}' '${world.remote}.away'; echo "STATUS: pass"`;
    const { fault } = await world.run(agent, {}, { pushForMs: 100 }).done;
    expect(fault?.code).toBe('worker_push');
    expect(fault?.message).toMatch(/cannot be reached(.|\n)*git ls-remote(.|\n)*is kept on/);
  });
});

describe('a cancelled attempt on a remote worker', () => {
  async function endsSoon(done: Promise<{ readonly killed: string | null }>): Promise<string | null> {
    const began = Date.now();
    const { killed } = await done;
    expect(Date.now() - began).toBeLessThan(2_000);
    return killed;
  }

  it('ends at once while it asks Bosun for its checkout', async () => {
    const world = await givenElsewhere();
    world.fetch = () => new Promise(() => undefined);
    for (const reason of ['cancel', 'interrupted'] as const) {
      const running = world.run('true');
      running.abort(reason);
      expect(await endsSoon(running.done)).toBe(reason);
    }
    expect(readdirSync(world.home)).not.toContain('clones');
  });

  it('ends at once while a remote hangs', async () => {
    const world = await givenElsewhere();
    // git starts it in place of ssh, and it never says a word.
    vi.stubEnv('GIT_SSH_COMMAND', 'sleep 600 #');
    world.fetch = () =>
      Promise.resolve({
        remote: 'ssh://far.invalid/shop.git',
        ref: 'refs/bosun/h1/a1/out',
        commit: 'a'.repeat(40),
        backRef,
        prefix: '',
        setup: null,
      });
    const running = world.run('true');
    await expect.poll(() => clonesBegun(world), soon).toBe(true);
    running.abort('cancel');
    expect(await endsSoon(running.done)).toBe('cancel');
    vi.unstubAllEnvs();
  });

  it('ends at once during setup, and kills the setup', async () => {
    const world = await givenElsewhere();
    const { path, read } = slate();
    world.setup = `echo $$ > '${path}'; sleep 600`;
    const running = world.run('true');
    await expect.poll(read, soon).not.toBe('');
    running.abort('cancel');
    expect(await endsSoon(running.done)).toBe('cancel');
    await expect.poll(() => isRunning(Number(read())), soon).toBe(false);
  });

  it('ends at once while its agent runs, and pushes nothing', async () => {
    const world = await givenElsewhere();
    const { path, read } = slate();
    const running = world.run(`echo $$ > '${path}'; sleep 600`);
    await expect.poll(read, soon).not.toBe('');
    running.abort('cancel');
    expect(await endsSoon(running.done)).toBe('cancel');
    expect(isRunning(Number(read()))).toBe(false);
    expect(atRemote(world)).toBe('refs/bosun/h1/a1/out\n');
  });

  it('ends at once while it waits for a remote, keeping the agent’s result', async () => {
    const world = await givenElsewhere();
    const running = world.run(`mv '${world.remote}' '${world.remote}.away'; echo "STATUS: pass"`);
    await expect.poll(running.said, soon).toContain('sending its work back');
    running.abort('cancel');
    expect(await endsSoon(running.done)).toBe('cancel');
    expect(await running.done).toMatchObject({ exit: 0, fault: null });
  });
});

function clonesBegun({ home }: Elsewhere): boolean {
  const clones = join(home, 'clones');
  if (!existsSync(clones)) return false;
  return readdirSync(clones).some((name) =>
    readdirSync(join(clones, name)).some((one) => one.startsWith('repository.new')),
  );
}

describe('parallel attempts on a remote worker', () => {
  it('have separate checkouts for the same checkout of Bosun’s', async () => {
    const world = await givenElsewhere();
    const { path, read } = slate();
    const agent = `pwd >> '${path}'; for i in $(seq 200); do [ "$(wc -l < '${path}')" -ge 2 ] && break; sleep 0.05; done; echo "STATUS: pass"`;
    const both = await Promise.all([world.run(agent).done, world.run(agent, { attempt: 'a2', token: 'of-a2' }).done]);
    expect(both.map(({ fault }) => fault)).toEqual([null, null]);
    expect(new Set(read().trim().split('\n')).size).toBe(2);
  });
});
