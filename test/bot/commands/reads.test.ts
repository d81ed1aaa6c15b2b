// What each verb that only reads answers: for a project without a run, and for a run of which one step has passed and the
// next is at work.
import { expect, it, vi } from 'vitest';
import { verbRows } from '../../../src/bot/grammar/index.js';
import { emptyPlan } from '../../../src/dispatch/index.js';
import { pass } from '../../engine/builders.js';
import { givenDesk } from '../channels/terminal/given.js';

type Desk = Awaited<ReturnType<typeof givenDesk>>;

interface Answers {
  readonly idle: readonly string[];
  readonly live: readonly string[];
}

const noCost = [
  'The project:',
  'today $0.00 (0 tokens in, 0 out)',
  'last 7 days $0.00 (0 tokens in, 0 out)',
  'ever $0.00 (0 tokens in, 0 out)',
];
const noRun = ['demo has no run.'];
const me = ['You are the owner of this Bosun.', 'demo: owner'];

const answers: Readonly<Record<string, Answers>> = {
  status: {
    idle: ['demo: idle. Give it a task: "demo: <what to do>".'],
    live: [
      'demo: working',
      'US-001 Order history',
      '[working] US-001 Order history',
      'US-001 sdd-delta: working, attempt 1 of 3',
    ],
  },
  stories: { idle: noRun, live: ['US-001  [working]  Order history'] },
  steps: {
    idle: noRun,
    live: [
      'step-001  [working]  story',
      'US-001 step-001  [done]  bdd: passed',
      'US-001 step-002  [working]  sdd-delta',
      'US-001 step-003  [not started]  contract',
      'US-001 step-004  [not started]  review',
      'US-001 step-005  [not started]  scaffold',
      'US-001 step-006  [not started]  impl',
      'US-001 step-007  [not started]  verify',
      'US-001 step-008  [not started]  update-memory',
    ],
  },
  history: {
    idle: noRun,
    live: [
      'HH:MM  Owner asked for “US-001 Order history”',
      'HH:MM  Owner continued',
      'HH:MM  Git work in the folder is done',
      'HH:MM  US-001 · The story began',
      'HH:MM  US-001 · bdd, attempt 1 began',
      'HH:MM  US-001 · bdd, attempt 1 passed',
      'HH:MM  US-001 · sdd-delta, attempt 1 began',
    ],
  },
  cost: {
    idle: noCost,
    live: [
      'r1: $0.00, 0 tokens in, 0 out',
      'US-001: 2 tries, N s',
      '  bdd: 1 try, N s',
      '  sdd-delta: 1 try, N s',
      ...noCost,
    ],
  },
  why: { idle: noRun, live: ['demo is working: US-001 sdd-delta, attempt 1.'] },
  log: {
    idle: noRun,
    live: [
      'Log · sdd-delta · Order history',
      'demo · US-001 · attempt 1 · still running',
      'It has printed nothing yet.',
    ],
  },
  diff: { idle: noRun, live: ["I can't show it: r1 has no checkpoint", 'No agent has started there yet.'] },
  projects: { idle: ['demo (A): idle'], live: ['demo (A): working'] },
  inbox: { idle: ['Nothing needs you.'], live: ['Nothing needs you.'] },
  whoami: { idle: me, live: me },
};

async function begin({ app, say }: Desk): Promise<void> {
  await say('continue demo');
  const begun = () =>
    vi.waitFor(() => {
      const [run] = app.runtime.store.liveRuns('demo');
      const [live] = run?.live ?? [];
      if (!run || !live) throw new Error('nothing is live');
      return { run: run.id, chain: live.chain, attempt: live.attempt };
    }, 10_000);
  const first = await begun();
  await app.runtime.submit(({ at }) => ({
    ...emptyPlan,
    events: [
      { ...first, at, type: 'attempt_started', worker: 'w1' },
      { ...first, at, type: 'attempt_settled', envelope: pass },
    ],
  }));
  const second = await begun();
  await app.runtime.submit(({ at }) => ({
    ...emptyPlan,
    events: [{ ...second, at, type: 'attempt_started', worker: 'w1' }],
  }));
}

async function answered({ say }: Desk, verb: string): Promise<readonly string[]> {
  const { messages, exit } = await say(verb);
  expect([verb, messages.length, exit]).toEqual([verb, 1, 0]);
  const text = messages[0]?.view.text ?? '';
  return text
    .replaceAll(/\b\d\d:\d\d\b/g, 'HH:MM')
    .replaceAll(/\b\d+ s\b/g, 'N s')
    .split('\n');
}

it('every read-only verb answers for an idle project and for an active run', async () => {
  const reading = verbRows.filter(({ right }) => right === 'read').map(({ verb }) => verb);
  expect(Object.keys(answers)).toEqual(expect.arrayContaining(reading));
  const verbs = Object.keys(answers);
  const ask = async (desk: Desk) => {
    const said: (readonly [string, readonly string[]])[] = [];
    for (const verb of verbs) said.push([verb, await answered(desk, verb)]);
    return Object.fromEntries(said);
  };
  const wanted = (state: keyof Answers) => Object.fromEntries(verbs.map((verb) => [verb, answers[verb]?.[state]]));
  expect(await ask(await givenDesk({ imported: false }))).toEqual(wanted('idle'));
  const desk = await givenDesk();
  await begin(desk);
  expect(await ask(desk)).toEqual(wanted('live'));
});
