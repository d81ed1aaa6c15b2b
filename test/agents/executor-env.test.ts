import { expect, it } from 'vitest';
import type { Config } from '../../src/config/index.js';
import { emptyEnvelope } from '../../src/engine/index.js';
import type { ExecutorConfig } from '../../src/jobs/agent-config.js';
import type { AttemptSpec } from '../../src/jobs/attempt-spec.js';
import { inPresentEnv, withoutEnv } from '../../src/worker/attempt/resolve-environment.js';
import { agentConfig, agentSeat } from './adapters/given-agent.js';
import { givenControl } from './attempts/given.js';

const agent = agentConfig('claude', {
  model: 'big',
  env: { A_KEY: 'first' },
  roles: { dev: { model: 'small', env: { B: 'second' } }, other: { args: ['-x'] } },
});

async function ranWith(spec: AttemptSpec, executors: Record<string, ExecutorConfig>) {
  const seen: AttemptSpec[] = [];
  const run = inPresentEnv(
    async (one) => {
      seen.push(one);
      return emptyEnvelope;
    },
    () => ({ executors }) as unknown as Config,
  );
  const { fault } = await run(spec, givenControl());
  return { fault, executor: seen[0]?.executor ?? null };
}

const stored = (): AttemptSpec => ({ ...agentSeat(agent), executor: withoutEnv(agent), executorName: 'agent' });

it('a stored attempt lacks its executor’s environment, including those of roles, and runs with it', async () => {
  expect(JSON.stringify(stored())).not.toMatch(/first|second/);
  expect((await ranWith(stored(), { agent })).executor).toEqual(agent);
});

it('a stored attempt runs with its original settings and the current environment', async () => {
  const present = agentConfig('claude', {
    model: 'new',
    env: { A_KEY: 'third' },
    roles: { dev: { env: { B: 'fourth' } } },
  });
  expect((await ranWith(stored(), { agent: present })).executor).toMatchObject({
    model: 'big',
    env: { A_KEY: 'third' },
    roles: { dev: { model: 'small', env: { B: 'fourth' } }, other: { args: ['-x'] } },
  });
});

it('an attempt stored with its full environment runs unchanged', async () => {
  expect((await ranWith(agentSeat(agent), {})).executor).toEqual(agent);
});

it.each(['agent', 'toString'])('an attempt whose executor %s has been removed does not run', async (name) => {
  const { fault, executor } = await ranWith({ ...stored(), executorName: name }, {});
  expect(executor).toBeNull();
  expect(fault).toMatchObject({
    code: 'no_executor',
    message: expect.stringContaining(`The executor ${name} of impl`),
  });
});
