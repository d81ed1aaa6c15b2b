import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bosun, newFolder } from './given.js';

it.each([
  ['0.0.0.0', '', true],
  ['0.0.0.0', ', hook_secret: abc', false],
  ['127.0.0.1', '', false],
])(
  'the look at a project where %s is listened on, with "%s", tells that the next start would fail: %s',
  async (...given) => {
    const [host, secret, isTold] = given;
    const [home, root] = [newFolder(), newFolder()];
    execFileSync('git', ['init', '-q', '-b', 'main', root]);
    const config = `web: { host: ${host} }\nprojects: { shop: { root: "${root}"${secret} } }\n`;
    writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 });
    const { out } = await bosun(['doctor'], { home });
    expect(out.includes('bad   project shop: others reach 0.0.0.0, and without a hook_secret')).toBe(isTold);
    expect(out.includes('→ Set it in')).toBe(isTold);
  },
);
