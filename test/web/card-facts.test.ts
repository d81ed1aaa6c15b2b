// The facts below a card in the inbox: its end without an answer, and earlier answers of the same story.
import { expect, it } from 'vitest';
import type { Interaction } from '../../src/engine/index.js';
import type { Approvals } from '../../src/engine/workflow/definition.js';
import type { WebContext } from '../../src/web/context/web-context.js';
import { postedText } from '../../src/web/pages/cards/card-words.js';
import { anInteraction, aRun, aState, batch } from '../store/values.js';
import { given } from './given.js';

const hourMs = 3_600_000;
const nine = Date.UTC(2026, 10, 20, 9);
const budget = { zone: 'UTC' };
const approvals: Approvals = {
  ...{ quorum: 1, notRequester: false, remindAfterMs: hourMs, escalateAfterMs: 2 * hourMs, escalateTo: ['bob'] },
};
const permission = {
  type: 'agent_permission',
  attempt: 'a1',
  key: 'k',
  permission: { tool: 'Bash', what: 'npm publish', mark: 'Bash' },
} as const;
const question = { type: 'agent_question', attempt: 'a1', key: 'k', isLate: false } as const;

it.each<[string, Partial<Interaction>, string, object?]>([
  ['waits without a reminder', {}, 'no reminder; nothing is decided for you'],
  [
    'names its reminder and its deputy',
    { approvals },
    'a reminder at 10:00; Bob asked too at 11:00; nothing is decided for you',
  ],
  [
    'is reminded of after quiet hours, on another day',
    { approvals: { ...approvals, escalateTo: [] } },
    'a reminder at 09:30, Saturday 21 November; nothing is decided for you',
    { quiet_hours: { from: '09:45', to: '09:30', zone: 'UTC' } },
  ],
  [
    'names no reminder after the third',
    { approvals: { ...approvals, escalateAfterMs: null }, reminded: { count: 3, at: nine } },
    'no reminder; nothing is decided for you',
  ],
  ['of an abort closes', { expiresAt: nine + hourMs }, 'this question closes at 10:00, and the work goes on'],
  [
    'of an agent ends its wait',
    { subject: question },
    'the agent waits until 09:10; a later answer goes to its next try',
  ],
  [
    'of an agent that went on waits for the next try',
    { subject: { ...question, isLate: true } },
    'the agent no longer waits; your answer goes to its next try',
  ],
  ['for a permission is denied', { subject: permission }, 'it is denied at 09:10'],
  [
    'for a permission that nobody gave in time is denied',
    { subject: permission, openedAt: nine - hourMs },
    'it is denied',
  ],
])('a question %s', async (_, parts, expected, project = {}) => {
  const { app, get } = await given({ people: { bob: {} }, project: { budget, ...project }, now: () => nine });
  const asked = anInteraction('i1-1', { openedAt: nine, ...parts });
  const run = aRun(1, {
    status: 'paused',
    counters: { dispatches: 0, nodes: 0, interactions: 1, ops: 0, insertions: 0 },
  });
  app.runtime.store.commit(batch({ states: [{ before: null, after: aState(run, { interactions: [asked] }) }] }));
  const { text } = await get('/inbox');
  expect(/If nobody answers<\/dt><dd>([^<]*)</.exec(text)?.[1]).toBe(expected);
  expect((await get('/')).text).not.toContain('If nobody answers');
});

it('lists the newest earlier answers of the same story', async () => {
  const { app, get } = await given();
  const answer = (by: string, text: string | null) => ({ option: 'changes', text, by, at: Date.now(), where: 'web' });
  const earlier = (id: string, chain: string, text: string) =>
    anInteraction(id, {
      ...{ chain, state: 'answered', text: `Changes requested · ${text}` },
      ...{ options: [{ id: 'changes', label: 'Request changes', needsText: true }], answer: answer('ada', text) },
    });
  const all = [
    ...['one', 'two', 'three', 'four'].map((word, n) => earlier(`i1-${n + 1}`, 'US-1', word)),
    earlier('i1-5', 'US-2', 'of another story'),
    anInteraction('i1-6', { chain: 'US-1', openedAt: Date.now() }),
  ];
  const run = aRun(1, {
    status: 'paused',
    counters: { dispatches: 0, nodes: 0, interactions: 6, ops: 0, insertions: 0 },
  });
  app.runtime.store.commit(batch({ states: [{ before: null, after: aState(run, { interactions: all }) }] }));
  const { text } = await get('/inbox');
  const facts = /Asked before<\/dt>[\s\S]*?<\/dl>/.exec(text)?.[0] ?? '';
  expect([...facts.matchAll(/“(\w+)”/g)].map(([, word]) => word)).toEqual(['four', 'three', 'two']);
  expect(facts).toContain('Changes requested by Ada, page: “four”');
  expect(facts).not.toContain('another');
});

it('a card that was posted shows its times in the zone of its reader', () => {
  const at = Date.UTC(2026, 10, 20, 11, 40);
  const posted = {
    view: { text: 'Review · Cart\nAda asked at 09:17', times: [{ text: '09:17', at, hasDate: false }] },
  };
  const reader = { followers: () => ['tg:7'], cardMessage: () => posted };
  const web = (zone: string | null) => ({ services: { runtime: { reader } }, zone }) as unknown as WebContext;
  const read = (zone: string | null) => postedText(web(zone), 'r1', anInteraction('i1-1'));
  expect(read('Asia/Tokyo')).toBe('Review · Cart\nAda asked at 20:40');
  expect(read(null)).toBe('Review · Cart\nAda asked at 09:17');
});
