// Who needs no Redis pays nothing for it.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { prepareDemo } from '../../src/cli/demo/demo-project.js';
import { openHome } from '../open-home.js';
import { bosun, newFolder, start } from './given.js';

/** Notes each module of the two that the process asks for. */
function givenWatch() {
  const folder = newFolder();
  const noted = join(folder, 'noted');
  writeFileSync(noted, '');
  const hook = `import { appendFileSync } from 'node:fs';
export async function resolve(name, context, next) {
  if (/^(bullmq|ioredis)(\\/|$)/.test(name)) appendFileSync(${JSON.stringify(noted)}, name + '\\n');
  return next(name, context);
}`;
  writeFileSync(join(folder, 'hook.mjs'), hook);
  const url = pathToFileURL(join(folder, 'hook.mjs')).href;
  writeFileSync(
    join(folder, 'watch.mjs'),
    `import { register } from 'node:module';\nregister(${JSON.stringify(url)});`,
  );
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(join(folder, 'watch.mjs')).href}`, DEMO_DELAY_MS: '0' };
  return { env, loaded: () => new Set(readFileSync(noted, 'utf8').trim().split('\n').filter(Boolean)) };
}

it('loads neither BullMQ nor ioredis without Redis, in up, say, doctor and worker', async () => {
  const home = join(newFolder(), 'home');
  const { env, loaded } = givenWatch();
  const up = await start(['up', '--port', '0'], { home, env });
  await up.line(/^ready /);
  expect((await bosun(['say', 'continue demo', '--wait'], { home })).out).toContain('? review:');
  const doctor = await start(['doctor'], { home, env });
  expect((await doctor.ended).out).toMatch(/queue: embedded/);
  const worker = await start(['worker'], { home, env });
  expect(await worker.ended).toMatchObject({ code: 1, err: expect.stringContaining('sets no queue.redis') });
  up.child.kill('SIGTERM');
  await up.ended;
  expect(loaded()).toEqual(new Set());
});

it('loads BullMQ and ioredis with Redis, which shows that the check detects them', async () => {
  const home = openHome(join(newFolder(), 'home'));
  await prepareDemo(home);
  appendFileSync(home.configPath, '\nqueue: { redis: "redis://127.0.0.1:1" }\n');
  const { env, loaded } = givenWatch();
  const up = await start(['up', '--port', '0'], { home: home.dir, env });
  await up.line(/^ready /);
  up.child.kill('SIGTERM');
  expect((await up.ended).code).toBe(0);
  expect(loaded()).toEqual(new Set(['bullmq', 'ioredis']));
});
