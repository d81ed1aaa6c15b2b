// What doctor learns of the installed OpenCode.
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { expect, it } from 'vitest';
import { probeOpencode } from '../../../src/agents/adapters/opencode/serve/probe.js';
import { givenFolder, put } from '../attempts/given.js';
import { describeAgent } from '../describe-agent.js';
import { programOf } from '../programs.js';
import { agentConfig } from './given-agent.js';

describeAgent('opencode', 'serve', () => {
  it('names in its help the options that Bosun gives it', () => {
    const env = { ...process.env, HOME: givenFolder() };
    const { status, stdout, stderr } = spawnSync(programOf('opencode'), ['serve', '--help'], { env, encoding: 'utf8' });
    expect(status).toBe(0);
    for (const option of ['--hostname', '--port', '--print-logs']) expect(`${stdout}${stderr}`).toContain(option);
  });
});

it.each([
  ['has no serve', 'exit 1', /no `serve` and cannot ask a person \(.*exited with 1\)/],
  ['has another serve', 'echo --socket', /help does not name --hostname and --port/],
])('tells doctor of an OpenCode that %s', async (_, act, why) => {
  const source = `#!/bin/sh\nif [ "$1" = --version ]; then echo 0.1; exit 0; fi\n${act}\n`;
  const program = put(givenFolder(), 'opencode', source);
  chmodSync(program, 0o755);
  const config = agentConfig('opencode', { program });
  expect(await probeOpencode(config, process.env, givenFolder())).toMatchObject({
    ...{ kind: 'limited', version: '0.1', why: expect.stringMatching(why) },
  });
  const run = { ...config, own: { mode: 'run' } };
  expect(await probeOpencode(run, process.env, givenFolder())).toMatchObject({
    why: 'with mode: run it cannot ask a person',
  });
  expect(await probeOpencode({ ...run, permission: 'deny' }, process.env, givenFolder())).toMatchObject({
    kind: 'there',
  });
});
