// Filters among the words of a search: what each means, and what a person is told of one that is none.
import { expect, it } from 'vitest';
import { readSearch } from '../../src/web/pages/history/search-words.js';
import { aChain, aNode, anAttempt, aRun, aState, batch } from '../store/values.js';
import { given } from './given.js';

it.each([
  ['gift card', 'gift card', {}],
  ['by:ada gift  card', 'gift card', { by: 'ada' }],
  ['gift BY:Ada card', 'gift card', { by: 'Ada' }],
  ['project:shop agent:codex workflow:quick', '', { project: 'shop', agent: 'codex', workflow: 'quick' }],
  ['state:failed', '', { state: 'failed' }],
  ['state:Done', '', { state: 'completed' }],
  ['state:completed state:aborted', '', { state: 'cancelled' }],
  ['cost:>1', '', { cost: '>1' }],
  ['cost:<$0.50 x', 'x', { cost: '<0.50' }],
  ['since:7D', '', { since: '7d' }],
  ['since:2026-11-01', '', { since: '2026-11-01' }],
  ['by:"ada l" x', 'x', { by: 'ada l' }],
  ['"by:ada" x', 'by:ada x', {}],
  ['"gift card" by:ada', '"gift card"', { by: 'ada' }],
  ['"gift card"', '"gift card"', {}],
  ['see https://example.com/a:b', 'see https://example.com/a:b', {}],
  ['fix: the login', 'fix: the login', {}],
  ['at 12:30', 'at 12:30', {}],
])('%s looks for %j with %j', (text, words, filters) => {
  expect(readSearch(text)).toEqual({ words, filters, problems: [] });
});

it.each([
  ['owner:ada x', /no filter “owner:”\. There are by:, project:, .*since:/],
  ['stat:failed', /no filter “stat:”; did you mean “state:”\?/],
  ['state:great', /“state:” takes .*working.*done, failed/],
  ['cost:1', /“cost:” takes an amount, as in cost:>1/],
  ['since:monday', /“since:” takes a time, as in since:7d/],
  ['constructor:x', /no filter “constructor:”/],
])('%s is looked for as words, and said why', (text, why) => {
  const { words, filters, problems } = readSearch(text);
  expect({ words, filters }).toEqual({ words: text, filters: {} });
  expect(problems).toEqual([expect.stringMatching(why)]);
});

const hour = 3_600_000;

async function searched() {
  const now = Date.UTC(2026, 10, 20, 12);
  const { app, get } = await given({ now: () => now, bank: {} });
  const runOf = (number: number, more: Parameters<typeof aRun>[1], program: string) => {
    const attempt = anAttempt(`a${number}`, { state: 'settled', program });
    const chain = aChain('', [aNode(`n${number}`, { state: 'passed', last: attempt })]);
    const run = aRun(number, { createdAt: now - number * 20 * hour, startedAt: now - number * 20 * hour, ...more });
    return { before: null, after: aState(run, { chain }) };
  };
  app.runtime.store.commit(
    batch({
      states: [
        runOf(1, { createdBy: 'ada', status: 'completed', costUsd: 0, task: 'Gift cards' }, 'claude'),
        runOf(2, { createdBy: 'bob', status: 'failed', costUsd: 2.5, task: 'Gift wrap' }, 'codex'),
        runOf(3, { createdBy: 'ada', status: 'failed', costUsd: 1, task: 'Invoices', project: 'bank' }, 'codex'),
      ],
    }),
  );
  const page = async (q: string, more = '') => (await get(`/history?q=${encodeURIComponent(q)}${more}`)).text;
  const runs = async (q: string, more = '') => [
    ...new Set([...(await page(q, more)).matchAll(/href="\/runs\/(r\d+)"/g)].map(([, run]) => run)),
  ];
  return { page, runs };
}

it('finds runs by person, project or alias, state, agent, cost and time, together with words', async () => {
  const { runs } = await searched();
  expect(await runs('by:ADA')).toEqual(['r1', 'r3'].reverse());
  expect(await runs('project:A')).toEqual(['r2', 'r1']);
  expect(await runs('state:failed')).toEqual(['r3', 'r2']);
  expect(await runs('agent:Codex')).toEqual(['r3', 'r2']);
  expect(await runs('cost:>1')).toEqual(['r2']);
  expect(await runs('cost:<1')).toEqual(['r1']);
  expect(await runs('since:24h')).toEqual(['r1']);
  expect(await runs('since:2d')).toEqual(['r2', 'r1']);
  expect(await runs('since:2026-11-19')).toEqual(['r1']);
  expect(await runs('agent:codex gift')).toEqual(['r2']);
  expect(await runs('by:ada', '&status=failed')).toEqual(['r3']);
});

it('shows each filter as a chip that takes it away and keeps the others, and the words alone in the field', async () => {
  const { page } = await searched();
  const text = await page('gift by:ada cost:<1 since:3d');
  const chips = [...text.matchAll(/<a class="token" href="([^"]+)">(.*?)<svg/gs)].map(([, href = '', said = '']) => [
    href.replaceAll('&amp;', '&'),
    said.replace(/<[^>]+>/g, ''),
  ]);
  expect(chips).toEqual([
    ['/history?q=gift&cost=%3C1&since=3d', 'asked by Ada '],
    ['/history?q=gift&by=ada&since=3d', 'cost less than $1.00 '],
    ['/history?q=gift&by=ada&cost=%3C1', 'since the last 3 days '],
  ]);
  expect(text).toMatch(/name="q" maxlength="200" value="gift"/);
  expect(text).toContain('<input type="hidden" name="by" value="ada"/>');
});

it('says which filter is unknown, and keeps links of before', async () => {
  const { page, runs } = await searched();
  const text = await page('owner:<b>ada');
  expect(text).toMatch(
    /class="notice wait" role="status"><p>There is no filter “owner:”\. .*It was looked for as words\./,
  );
  expect(text).not.toContain('<b>ada');
  expect(await page('gift')).not.toContain('class="notice wait" role="status"');
  expect(await runs('', '&since=day')).toEqual(['r1']);
  expect(await page('gift by:ada', '&in=messages')).toContain('Only the project narrows what is found here');
});
