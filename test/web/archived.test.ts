// Every page, answer and command about a run says the same once its history is in a file.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bosun } from '../cli/given.js';
import { creation, starting } from '../dispatch/given.js';
import { def, workflow } from '../engine/builders.js';
import { given } from './given.js';

const flow = workflow([def('impl')]);
const agent =
  'cat > /dev/null\necho "made by $BOSUN_RUN" > "made-$BOSUN_RUN.txt"\necho "needle in the log"\necho "STATUS: pass"\n';

/** What changes by itself: ages and the link keys of a login. */
const still = (text: string) => text.replaceAll(/\b\d+ (?:s|min)\b/g, '0 s');

it('pages, the API and commands read an archived run as they read its rows', { timeout: 120_000 }, async () => {
  const { app, home, get } = await given({ work: true, agent });
  const { runtime } = app;
  for (const number of [1, 2]) {
    const plan = creation(number, { workflow: flow });
    await runtime.submit((now) => ({ ...plan, events: [...plan.events, starting(`r${number}`, now.at)] }));
    expect(await runtime.whenAtRest('shop', 30_000)).toBe(true);
    expect(runtime.store.run(`r${number}`)?.status).toBe('completed');
  }
  const attempt = runtime.store.attemptsOfRun('r1', 1)[0]?.attempt.id ?? '';
  const paths = [
    ...[
      '/runs/r1',
      '/runs/r1/history',
      '/runs/r1/history?at=4',
      '/runs/r1/changes',
      '/runs/r1/workflow',
      `/runs/r1/attempts/${attempt}`,
      '/history',
      '/history?in=logs&q=needle',
      '/insights',
    ],
    ...['/api/runs/r1', '/api/runs/r1/nodes', '/api/runs/r1/events', '/api/runs/r1/attempts', '/api/runs/r1/diff'],
    ...[`/api/attempts/${attempt}`, `/api/attempts/${attempt}/log`, '/api/audit'],
  ];
  const commands = [
    ...[
      ['show', 'r1'],
      ['show', 'r1', '--json'],
      ['history', 'r1'],
      ['history', 'r1', '--json'],
      ['diff', 'r1'],
    ],
    ...[['log', 'r1', 'step-001'], ['export', 'r1', '--as', 'events'], ['runs'], ['verify']],
  ];
  const all = async () => {
    const read: Record<string, { readonly status?: number; readonly code?: number | null; readonly text: string }> = {};
    for (const path of paths) {
      const { status, text } = await get(path);
      read[path] = { status, text: still(text) };
    }
    for (const args of commands) {
      const { code, out, err } = await bosun(args, { home: home.dir });
      read[args.join(' ')] = { code, text: still(code === 0 ? out : err) };
    }
    return read;
  };
  const before = await all();
  expect(Object.entries(before).filter(([, { status = 200, code = 0 }]) => status !== 200 || code !== 0)).toEqual([]);
  expect(runtime.store.archives.due(Date.now() + 1, 0).runs).toEqual(['r1']);
  expect(await runtime.store.archives.archive('r1', 1)).toBe(true);
  while (runtime.store.archives.clear());
  expect(await all()).toEqual(before);
  expect(JSON.stringify(before['log r1 step-001'])).toContain('needle');
  expect(JSON.stringify(before['diff r1'])).toContain('made-r1.txt');
  rmSync(join(home.dir, 'archive'), { recursive: true });
  for (const args of [
    ['show', 'r1'],
    ['history', 'r1'],
    ['log', 'r1', 'step-001'],
    ['diff', 'r1'],
  ]) {
    const { code, err } = await bosun(args, { home: home.dir });
    expect({ args, code, err }).toEqual({
      args,
      code: 1,
      err: expect.stringMatching(/archive\/r1-\w+\.jsonl\.gz is missing/),
    });
  }
  expect(await bosun(['runs'], { home: home.dir })).toMatchObject({ code: 0, out: expect.stringContaining('r1') });
  const verified = await bosun(['verify'], { home: home.dir });
  expect(verified.code).toBe(1);
  expect(verified.out).toMatch(
    /^database: the event chain breaks at event \d+: .*r1-\w+\.jsonl\.gz is missing.*\nr1: .* is missing/,
  );
});
