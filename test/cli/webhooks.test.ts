import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { receiver } from '../dispatch/webhooks/receiver.js';
import { openHome } from '../open-home.js';
import { openStore } from '../open-store.js';
import { bosun, newFolder, start } from './given.js';

const agent = 'cat > /dev/null\necho one > made.txt\necho "STATUS: pass"\n';

function given(url: string) {
  const folder = newFolder();
  const [home, root] = [openHome(join(folder, 'home')), join(folder, 'shop')];
  mkdirSync(root);
  writeFileSync(join(root, 'a.txt'), 'a\n');
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'start'],
  ])
    execFileSync('git', args, { cwd: root });
  writeFileSync(join(folder, 'agent.sh'), agent);
  const configure = (to: string) =>
    writeFileSync(
      home.configPath,
      JSON.stringify({
        executors: { agent: { kind: 'command', run: ['sh', join(folder, 'agent.sh')] } },
        projects: { shop: { root, workflow: 'quick', webhooks: [{ url: to, secret: 'between us' }] } },
      }),
      { mode: 0o600 },
    );
  configure(url);
  return { home, configure, where: { home: home.dir } };
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 20 });
const upOf = async (where: { home: string }) => {
  const started = await start(['up', '--port', '0'], where);
  await started.line(/^ready /);
  return started;
};

it('sends stored webhook calls after a kill and restart, under the same id and in order', async () => {
  const there = await receiver('hang');
  const { home, where } = given(there.url);
  const first = await upOf(where);
  expect((await bosun(['run', 'shop', 'make it', '--wait'], where)).code).toBe(0);
  await until(() => expect(there.received).toHaveLength(1));
  first.child.kill('SIGKILL');
  await first.ended;
  const store = openStore(home.dbPath, { readonly: true });
  const [head] = store.calls.heads();
  const waiting = store.calls.counts()[0]?.waiting ?? 0;
  store.close();
  expect(head?.tries).toBe(0);
  expect(waiting).toBeGreaterThanOrEqual(2);

  const second = await upOf(where);
  await until(() => expect(there.received).toHaveLength(1 + waiting));
  const ids = there.received.map(({ headers }) => headers['x-bosun-delivery']);
  expect(ids[1]).toBe(ids[0]);
  expect(new Set(ids).size).toBe(waiting);
  const types = there.received.slice(1).map(({ json }) => json['type']);
  // The step is done, and the run waits for a person's review.
  expect(types).toEqual(['run.started', 'interaction.opened', 'run.paused']);
  second.child.kill('SIGTERM');
  await second.ended;
  expect(there.received).toHaveLength(1 + waiting);
});

it('bosun doctor reports dropped calls by host, without the rest of the address', async () => {
  const there = await receiver(...Array.from({ length: 20 }, () => 404));
  const { where, configure } = given(there.url);
  expect((await bosun(['doctor'], where)).out).toMatch(/^ok {4}webhook shop: http:\S+: nothing sent yet$/m);
  expect((await bosun(['run', 'shop', 'make it', '--wait'], where)).code).toBe(0);
  const { out } = await bosun(['doctor'], where);
  expect(out).toMatch(/^warn {2}webhook shop: http:\/\/127\.0\.0\.1:\d+: Bosun gave up \d+ calls, .*: HTTP 404$/m);
  expect(out).not.toContain('of-the-address');
  expect(out).not.toContain('between us');
  expect((await bosun(['doctor', '--json'], where)).out).not.toContain('of-the-address');
  configure('http://127.0.0.1:9/elsewhere');
  expect((await bosun(['doctor'], where)).out).not.toContain('HTTP 404');
});

it('bosun doctor reports waiting calls with the reason', async () => {
  const { where } = given('http://127.0.0.1:9/nobody');
  expect((await bosun(['run', 'shop', 'make it', '--wait'], where)).code).toBe(0);
  expect((await bosun(['doctor'], where)).out).toMatch(
    /^warn {2}webhook shop: http:\/\/127\.0\.0\.1:9: \d+ calls wait since \S+: ECONNREFUSED$/m,
  );
});
