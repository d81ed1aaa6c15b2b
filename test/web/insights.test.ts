// Insights: headings that answer, ranges, where the time goes, and the steps that fail most.
import { expect, it } from 'vitest';
import { aChain, aNode, anAttempt, anInteraction, aRun, aState, batch } from '../store/values.js';
import { given } from './given.js';

const minute = 60_000;
const day = 24 * 60 * minute;

interface RunGiven {
  readonly number: number;
  readonly project?: string;
  readonly endedAt: number;
  readonly isDone: boolean;
}

/** Ten minutes of work, then thirty minutes of waiting for Bob's approval. */
function anEndedRun({ number, project = 'shop', endedAt, isDone }: RunGiven) {
  const startedAt = endedAt - 40 * minute;
  const asked = startedAt + 10 * minute;
  const attempt = anAttempt(`a${number}`, {
    ...{ state: 'settled' as const, dispatchedAt: startedAt, startedAt, endedAt: asked, durationMs: 10 * minute },
    ...{ outcome: isDone ? ('pass' as const) : ('failing' as const), summary: isDone ? 'fine' : 'no key set' },
    ...{ costUsd: 0.5, program: 'claude' },
  });
  const run = aRun(number, {
    ...{ project, status: isDone ? 'completed' : 'failed', startedAt, endedAt },
    counters: { dispatches: 1, nodes: 1, interactions: 1, ops: 0, insertions: 0 },
  });
  const review = anInteraction(`i${number}-1`, {
    ...{ state: 'answered', openedAt: asked },
    answer: { option: 'approve', text: null, by: 'bob', at: endedAt },
  });
  const chain = aChain('', [aNode(`n${number}`, { template: 'implement', state: 'passed', last: attempt })]);
  return { before: null, after: aState(run, { chain, interactions: [review] }) };
}

async function openHomeWithRuns() {
  const { app, get } = await given();
  const now = Date.now();
  const at = (days: number) => now - days * day;
  const states = [
    ...Array.from({ length: 3 }, (_, n) => anEndedRun({ number: 1 + n, endedAt: at(60), isDone: true })),
    ...Array.from({ length: 6 }, (_, n) => anEndedRun({ number: 11 + n, endedAt: at(10), isDone: true })),
    ...Array.from({ length: 2 }, (_, n) => anEndedRun({ number: 21 + n, endedAt: at(2), isDone: true })),
    ...Array.from({ length: 2 }, (_, n) =>
      anEndedRun({ number: 31 + n, project: 'blog', endedAt: at(1), isDone: false }),
    ),
  ];
  app.runtime.store.commit(batch({ states }));
  return async (path: string) => (await get(path)).text;
}

const headingOf = (text: string, id: string) =>
  new RegExp(`<h2 id="${id}-title"[^>]*>([^<]*)</h2>`).exec(text)?.[1] ?? null;

it('headings answer, for the range that a link chooses', async () => {
  const shown = await openHomeWithRuns();
  const month = await shown('/insights');
  expect(headingOf(month, 'success')).toBe('8 of 10 runs end well; the rest is in blog');
  expect(headingOf(await shown('/insights?range=week'), 'success')).toBe('2 of 4 runs end well; the rest is in blog');
  expect(headingOf(await shown('/insights?range=all'), 'success')).toBe('11 of 13 runs end well; the rest is in blog');
  expect(headingOf(month, 'duration')).toBe('Half of the tasks are done within 40 min 0 s');
  expect(month).toMatch(/<a href="\/insights" aria-current="page">4 weeks<\/a>/);
  expect(month).toMatch(/<dd class="num">80 %<\/dd>/);
});

const deltasOf = (text: string) =>
  [...text.matchAll(/<dd class="delta ([^"]+)">(.*?)<\/dd>/gs)].map(
    ([, look, said = '']) => `${look}: ${said.replace(/<[^>]+>/g, '').trim()}`,
  );

it('the tiles say what changed against the period before, and nothing without one', async () => {
  const { app, get } = await given();
  const now = Date.now();
  const runs = (first: number, count: number, days: number, isDone: boolean) =>
    Array.from({ length: count }, (_, n) => anEndedRun({ number: first + n, endedAt: now - days * day, isDone }));
  // A week ago two of four ended well; now three of four do.
  const states = [...runs(1, 2, 10, true), ...runs(3, 2, 10, false), ...runs(5, 3, 2, true), ...runs(8, 1, 2, false)];
  app.runtime.store.commit(batch({ states }));
  const shown = async (path: string) => deltasOf((await get(path)).text);
  expect(await shown('/insights?range=week')).toEqual([
    'num ok: 25 points better',
    'soft: as before',
    'soft: as before',
  ]);
  expect(await shown('/insights')).toEqual([]);
  expect(await shown('/insights?range=all')).toEqual([]);
});

it('compares with no period that the newest runs do not reach', async () => {
  const { app, get } = await given();
  const now = Date.now();
  const runs = (first: number, count: number, days: number) =>
    Array.from({ length: count }, (_, n) => anEndedRun({ number: first + n, endedAt: now - days * day, isDone: true }));
  app.runtime.store.commit(batch({ states: [...runs(1, 10, 20), ...runs(11, 299, 2), ...runs(310, 1, 10)] }));
  expect(deltasOf((await get('/insights?range=week')).text)).toEqual([]);
});

it('shows one project, at an address that the range keeps', async () => {
  const { app, get } = await given({ bank: {} });
  const endedAt = Date.now() - day;
  const states = [
    anEndedRun({ number: 1, endedAt, isDone: true }),
    anEndedRun({ number: 2, project: 'bank', endedAt, isDone: false }),
  ];
  app.runtime.store.commit(batch({ states }));
  const { text } = await get('/insights?project=bank&range=week');
  expect(headingOf(text, 'success')).toBe('0 of 1 run ended well');
  expect(text).toMatch(/<a href="\/insights\?range=week&amp;project=bank" aria-current="page">Week<\/a>/);
  expect(text).toMatch(/<a href="\/insights\?project=bank">4 weeks<\/a>/);
  expect(text).toMatch(/<a href="\/insights\?range=week&amp;project=shop" dir="auto">shop<\/a>/);
  expect(text).not.toContain('/runs/r1/');
  expect(headingOf((await get('/insights?project=none')).text, 'success')).toBe(null);
});

it('a run is counted once in the columns, also one that ended long ago', async () => {
  const shown = await openHomeWithRuns();
  for (const [range, ended] of Object.entries({ week: 4, month: 10, all: 13 })) {
    const table = /<details id="success-table">[\s\S]*?<\/details>/.exec(await shown(`/insights?range=${range}`))?.[0];
    const counts = [...(table ?? '').matchAll(/<td class="num">(\d+)<\/td>/g)].map(([, n]) => Number(n));
    expect(`${range}: ${counts.reduce((sum, n) => sum + n, 0)}`).toBe(`${range}: ${ended}`);
  }
});

it('the time goes by project to work, people and the rest, and to each person waited for', async () => {
  const text = await (await openHomeWithRuns())('/insights');
  expect(headingOf(text, 'time')).toBe('People take 75 % of the time, agents and checks 25 %');
  expect(text).toMatch(/>shop<\/td><td class="num">1 h 20 min<\/td><td class="num">4 h 0 min<\/td>/);
  expect(headingOf(text, 'people')).toBe('Bob: 5 h 0 min in all');
  expect(text).toMatch(/>Bob<\/td><td class="num">5 h 0 min<\/td><td class="num">30 min 0 s<\/td><td class="num">10</);
  expect(headingOf(text, 'agents')).toBe('claude: 100 % of the cost');
});

it('the steps that fail most say how often and with which words, and link to the newest try', async () => {
  const text = await (await openHomeWithRuns())('/insights');
  const steps = /<section id="failing"[\s\S]*?<\/section>/.exec(text)?.[0] ?? '';
  expect(steps).toMatch(/href="\/runs\/r32\/attempts\/a32">implement<\/a>[\s\S]*href="\/projects\/blog"/);
  expect(steps).toMatch(/no key set \(2 times\)[\s\S]*2 of 2 tries failed, \$1\.00 lost/);
  expect(steps).not.toContain('/projects/shop');
});

it('each chart is an image with its answer as a sentence, and a table', async () => {
  const text = await (await openHomeWithRuns())('/insights');
  for (const id of ['success', 'duration', 'time', 'people', 'cost', 'agents']) {
    const figure = new RegExp(`<section class="panel figure" id="${id}"[\\s\\S]*?</section>`).exec(text)?.[0] ?? '';
    expect(/role="img" aria-label="[^"]+\? ([^"]*)\."/.exec(figure)?.[1]).toBe(headingOf(text, id));
    expect(figure).toMatch(/<summary>As a table<\/summary><table>/);
  }
});

it('a range in which nothing ended says so and keeps the links', async () => {
  const { app, get } = await given();
  const endedAt = Date.now() - 20 * day;
  app.runtime.store.commit(batch({ states: [anEndedRun({ number: 1, endedAt, isDone: true })] }));
  const { text } = await get('/insights?range=week');
  expect(text).toMatch(/href="\/insights\?range=all"[\s\S]*No run ended in this time/);
});

it.each([
  [0, 'No agent has run that reports what it costs.'],
  [2, 'Agents ran, and none reported what it cost.'],
])('says why no cost is shown, and what sets prices, with %s attempts of unknown cost', async (unpriced, why) => {
  const { app, get } = await given();
  const endedAt = Date.now() - day;
  const run = aRun(1, { status: 'completed', startedAt: endedAt - minute, endedAt, costUsd: 0, unpriced });
  app.runtime.store.commit(batch({ states: [{ before: null, after: aState(run) }] }));
  const { text } = await get('/insights');
  expect(headingOf(text, 'cost')).toBe('No cost was reported');
  expect(headingOf(text, 'agents')).toBe(null);
  expect(text).toContain(why);
  expect(text).toContain('prices: { input: 1.25, cached: 0.125, output: 10 }');
  expect((await get('/costs')).text).toContain('<code>prices</code>');
});
