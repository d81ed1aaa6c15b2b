// Executors that fail and take over, from config.yaml to the job, on a real database; and once with real programs.
import { expect, it } from 'vitest';
import { findProblems } from '../../src/cli/reads/verify-run.js';
import { executorsTold } from '../../src/dispatch/attempts/attempt-events.js';
import { type Envelope, emptyEnvelope } from '../../src/engine/index.js';
import { def, failing, pass, workflow } from '../engine/builders.js';
import {
  begun,
  benchOf,
  configOf,
  creation,
  givenWorld,
  liveOf,
  roomOf,
  settlementOf,
  starting,
  startOf,
} from './given.js';

const hour = 3_600_000;
const config = (list: string) => `
executors:
  claude: { kind: claude }
  codex: { kind: codex, needs: [gpu] }
projects: { shop: { root: "%ROOT%", executor: ${list} } }
`;
const flow = workflow([def('implement'), def('verify')]);
const limited = (waitMs: number): Envelope => ({
  ...emptyEnvelope,
  session: 's1',
  fault: { code: 'rate_limited', message: 'usage limit', remedy: 'wait', waitMs },
});
const loggedOut: Envelope = {
  ...emptyEnvelope,
  fault: { code: 'not_logged_in', message: 'log in', remedy: 'ask' },
};

async function given(list: string) {
  const world = givenWorld('', config(list));
  const bench = benchOf(world);
  await begun(bench, 1, { workflow: flow });
  const spec = () => {
    const found = bench.store.jobs.payload(liveOf(bench, 'r1').attempt);
    if (found === null) throw new Error('the attempt has no job');
    return found;
  };
  return {
    bench,
    /** The job's executor, what its worker must be able to do, and how long it waits. */
    job() {
      const { executorName, executor, needs = [], attempt } = spec();
      const notBefore = bench.store.attempt(attempt)?.attempt.notBefore ?? null;
      const inMs = notBefore === null ? 0 : notBefore - bench.clock;
      return [executorName, executor?.kind, needs.join(), Math.round(inMs / 60_000)];
    },
    spec,
    async end(envelope: Envelope) {
      const executors = executorsTold(configOf(world), spec());
      await bench.dispatcher.submitEvent(startOf(bench, 'r1'));
      const event = settlementOf(bench, 'r1', envelope, bench.clock++);
      await bench.dispatcher.submitEvent(executors === null ? event : ({ ...event, executors } as typeof event));
    },
  };
}

it('the second executor takes over until the limit of the first lifts, with a job of its own', async () => {
  const { bench, job, spec, end } = await given('[claude, codex]');
  expect(job()).toEqual(['claude', 'claude', '', 0]);
  await end(limited(hour));
  expect(job()).toEqual(['codex', 'codex', 'gpu', 0]);
  expect(spec()).toMatchObject({ resume: null, attemptNumber: 1, prompt: expect.stringContaining('usage limit') });
  expect(spec().prompt).toContain('claude began this step and could not go on, so you take it over.');
  await end(pass);
  expect(spec().prompt).not.toContain('take it over');
  expect([spec().step, ...job()]).toEqual(['verify', 'codex', 'codex', 'gpu', 0]);
  bench.clock += hour;
  await end(failing);
  expect(job()).toEqual(['claude', 'claude', '', 0]);
});

it('two limits wait for the earlier one', async () => {
  const { job, end } = await given('[claude, codex]');
  await end(limited(2 * hour));
  await end(limited(hour));
  expect(job()).toEqual(['codex', 'codex', 'gpu', 60]);
});

it('a missing login hands over at once, and one name waits as before', async () => {
  const two = await given('[claude, codex]');
  await two.end(loggedOut);
  expect(two.job()).toEqual(['codex', 'codex', 'gpu', 0]);
  const one = await given('claude');
  await one.end(limited(hour));
  expect(one.job()).toEqual(['claude', 'claude', '', 60]);
});

it('a program that is missing is replaced by the next one, which does the step', async () => {
  const world = givenWorld(
    'cat > /dev/null; note "$BOSUN_ATTEMPT"; echo STATUS: done',
    `
executors:
  gone: { kind: command, run: [no-such-program-of-bosun] }
  agent: { kind: command, run: [sh, "%AGENT%"] }
projects: { shop: { root: "%ROOT%", executor: [gone, agent] } }
`,
  );
  const runtime = roomOf(world);
  runtime.startWorker(1);
  const plan = creation(1);
  await runtime.submit((now) => ({ ...plan, events: [...plan.events, starting('r1', now.at)] }));
  expect(await runtime.whenAtRest('shop', 60_000)).toBe(true);
  expect(runtime.store.run('r1')).toMatchObject({ status: 'completed', counters: { dispatches: 2 } });
  expect(world.notes()).toEqual(['1']);
  const [node] = runtime.store.nodes('r1');
  expect(node).toMatchObject({ attempt: 1, abandons: 0, last: { executor: 'agent', outcome: 'pass' } });
  expect(findProblems(runtime.store, 'r1')).toEqual([]);
});
