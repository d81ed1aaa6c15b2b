// What happened since the reader's last visit, which their browser keeps.
import { expect, it } from 'vitest';
import { aChain, aNode, anInteraction, aRun, aState, batch } from '../store/values.js';
import { given } from './given.js';

const minute = 60_000;
const hour = 60 * minute;
/** 18:40 in UTC on a Thursday. */
const evening = Date.UTC(2026, 10, 19, 18, 40);

async function visited() {
  let at = evening;
  const world = await given({ now: () => at });
  const { store } = world.app.runtime;
  const ended = (number: number, status: 'completed' | 'failed', endedAt: number, review?: number) => {
    const run = aRun(number, {
      ...{ status, startedAt: endedAt - minute, endedAt, costUsd: 1.5 },
      counters: { dispatches: 1, nodes: 1, interactions: 1, ops: 0, insertions: 0 },
    });
    const decided = anInteraction(`i${number}-1`, {
      ...{ kind: 'review' as const, state: 'answered' as const, openedAt: endedAt - minute },
      answer: { option: 'approve', text: null, by: 'bob', at: review ?? 0 },
    });
    const chain = aChain('', [aNode(`n${number}`, { state: 'passed' })]);
    store.commit(
      batch({ states: [{ before: null, after: aState(run, { chain, interactions: review ? [decided] : [] }) }] }),
    );
  };
  let cookie = 'bosun_zone=UTC';
  const visit = async (headers: Record<string, string> = {}, path = '/') => {
    const reply = await world.call(path, {
      headers: { authorization: `Bearer ${world.home.apiToken}`, cookie, ...headers },
    });
    const set = reply.headers['set-cookie']?.[0];
    if (set !== undefined) cookie = `bosun_zone=UTC; ${set.split(';')[0]}`;
    const strip = /<div id="today"[^>]*>(.*?)(?:<a |<\/div>)/s.exec(reply.text)?.[1] ?? '';
    return {
      strip: strip
        .replace(/<[^>]+>/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
      set,
    };
  };
  return {
    ended,
    visit,
    wait: (ms: number) => {
      at += ms;
    },
    cookieIs: (value: string) => {
      cookie = value;
    },
    port: world.web.port,
  };
}

it('tells a first visit of today, and a later one of what happened since', async () => {
  const { ended, visit, wait } = await visited();
  ended(1, 'completed', evening - hour);
  expect((await visit()).strip).toBe('Today 1 done · $1.50');
  wait(2 * hour);
  ended(2, 'completed', evening + hour, evening + hour);
  ended(3, 'failed', evening + 90 * minute);
  const strip = 'Since 18:40 1 done · 1 failed · 1 review decided · $3.00';
  expect((await visit()).strip).toBe(strip);
  // The same visit goes on: its pages and reloads change nothing.
  wait(20 * minute);
  await visit({}, '/history');
  wait(20 * minute);
  expect((await visit()).strip).toBe(strip);
  wait(17 * hour);
  expect((await visit()).strip).toBe('Since yesterday, 21:20 nothing has ended');
});

it('counts only opened pages as visits, not what a page that stays open fetches', async () => {
  const { visit, wait } = await visited();
  await visit();
  wait(4 * hour);
  expect((await visit({ 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' })).set).toBeUndefined();
  expect((await visit({ 'sec-fetch-mode': 'navigate' })).strip).toContain('Since 18:40');
});

it('keeps the visit from scripts and other sites, and takes no nonsense for one', async () => {
  const { visit, cookieIs, port } = await visited();
  expect((await visit()).set).toMatch(
    new RegExp(`^bosun_visit_${port}=0\\.${evening}; Max-Age=\\d+; Path=/; HttpOnly; SameSite=Strict$`),
  );
  for (const value of ['x', '1.2.3', `${evening}.1`, `1.${evening + hour}`, '9'.repeat(40)]) {
    cookieIs(`bosun_visit_${port}=${value}`);
    expect((await visit()).strip).not.toContain('Since');
  }
});
