import { describe, expect, it } from 'vitest';
import { agentVersion } from '../../../src/agents/adapters/agent-version.js';
import { agentConfig, program } from './given-agent.js';

const ask = (path: string) => agentVersion(agentConfig('codex', { program: path }), process.env, '/');

describe('the version of an agent', () => {
  it('is the first line of its version output', async () => {
    expect(await ask(program(`if (args[0] === '--version') say('codex 9.9\\nmore');`))).toEqual({
      kind: 'there',
      version: 'codex 9.9',
    });
  });

  it('is reported as missing without the program', async () => {
    expect(await ask('/no/such/program')).toEqual({ kind: 'missing' });
  });

  it('is queried with a timeout', async () => {
    expect(await ask(program('setTimeout(() => {}, 60000);'))).toEqual({
      kind: 'broken',
      why: 'it did not print its version within 5 s',
    });
  }, 15_000);

  it('is ignored if the program fails', async () => {
    expect(await ask(program(`console.error('no licence'); process.exit(3);`))).toEqual({
      kind: 'broken',
      why: 'no licence',
    });
  });
});
