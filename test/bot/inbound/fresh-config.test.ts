import { writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { openApp } from '../../../src/cli/app.js';
import { givenWorld, oneAgent } from '../../dispatch/given.js';

it('a person just added to config.yaml is found by a fresh read', async () => {
  const world = givenWorld('', oneAgent);
  const app = await openApp({ home: world.home, work: false, log: () => undefined });
  onTestFinished(() => app.close());
  let changes = 0;
  app.onConfig(() => {
    changes += 1;
  });
  const before = app.freshConfig?.();
  expect([before === app.config(), before?.people]).toEqual([true, []]);
  writeFileSync(world.home.configPath, `${oneAgent}\npeople: { eve: { telegram: 5000 } }\n`, { mode: 0o600 });
  expect(app.config().people).toEqual([]);
  expect(app.freshConfig?.().people.map(({ name }) => name)).toEqual(['eve']);
  expect([app.config().people.length, changes]).toEqual([1, 1]);
  expect(app.freshConfig?.()).toBe(app.config());
  expect(changes).toBe(1);
});
