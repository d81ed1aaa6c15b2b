// The protocol of the installed Codex against the parts that Bosun is built on.
import { chmodSync } from 'node:fs';
import { expect, it } from 'vitest';
import { differences, probeCodex, schemaOf } from '../../../src/agents/adapters/codex/app-server/contract.js';
import { givenFolder, put } from '../attempts/given.js';
import { describeAgent } from '../describe-agent.js';
import { programOf } from '../programs.js';
import { agentConfig } from './given-agent.js';

describeAgent('codex', 'app-server', () => {
  it('has every message, field and word that Bosun uses', async () => {
    const folder = givenFolder();
    const config = agentConfig('codex', { program: programOf('codex') });
    const told = await schemaOf(config, process.env, folder);
    expect('schema' in told && differences(told.schema)).toEqual([]);
    expect(await probeCodex(config, process.env, folder)).toMatchObject({ kind: 'there' });
  });
});

it('names what a schema lacks', () => {
  expect(differences({ definitions: { v2: {} } })).toContain('ServerRequest item/commandExecution/requestApproval');
  expect(differences({ definitions: { v2: {} } })).toContain('v2/ThreadStartParams.approvalsReviewer');
  expect(differences('nothing')).toEqual(['its schema has an unknown form']);
});

it.each([
  [
    'prints another schema',
    `echo '{"definitions":{"v2":{}}}' > "$5/codex_app_server_protocol.schemas.json"`,
    /its app-server lacks/,
  ],
  ['has no app-server', 'exit 2', /no app-server and cannot ask/],
])('tells doctor of a Codex that %s', async (_, act, why) => {
  const program = put(
    givenFolder(),
    'codex',
    `#!/bin/sh\nif [ "$1" = --version ]; then echo codex 9; exit 0; fi\n${act}\n`,
  );
  chmodSync(program, 0o755);
  const config = agentConfig('codex', { program });
  expect(await probeCodex(config, process.env, givenFolder())).toMatchObject({
    ...{ kind: 'limited', version: 'codex 9', why: expect.stringMatching(why) },
  });
  const exec = { ...config, own: { mode: 'exec' } };
  expect(await probeCodex(exec, process.env, givenFolder())).toMatchObject({
    why: 'with mode: exec it cannot ask a person',
  });
  expect(await probeCodex({ ...exec, permission: 'deny' }, process.env, givenFolder())).toMatchObject({
    kind: 'there',
  });
});
