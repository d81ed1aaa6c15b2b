import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { spellCommands } from '../../src/base/index.js';

function makeClone() {
  const root = mkdtempSync(join(tmpdir(), 'bosun-words-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ['bin', 'src', 'path']) mkdirSync(join(root, folder));
  writeFileSync(join(root, 'bin', 'bosun'), '');
  return { root, program: join(root, 'bin', 'bosun') };
}

const text = 'Run "bosun pair AB12" or bosun up; @bosun say it, my-bosun up, and bosun itself stay.';

it('spells commands as the clone has them where the PATH has no bosun', () => {
  const { root, program } = makeClone();
  expect(spellCommands(text, { env: { PATH: join(root, 'path') }, cwd: root, program })).toBe(
    'Run "./bin/bosun pair AB12" or ./bin/bosun up; @bosun say it, my-bosun up, and bosun itself stay.',
  );
  const elsewhere = spellCommands('bosun up', { env: { PATH: '' }, cwd: '/', program });
  expect(elsewhere).toBe(`${program} up`);
});

it('leaves commands as they are where the PATH has bosun, or outside a clone', () => {
  const { root, program } = makeClone();
  writeFileSync(join(root, 'path', 'bosun'), '');
  expect(spellCommands(text, { env: { PATH: join(root, 'path') }, cwd: root, program })).toBe(text);
  expect(spellCommands(text, { env: {}, cwd: root, program: '/usr/lib/node_modules/x/dist/main.js' })).toBe(text);
});
