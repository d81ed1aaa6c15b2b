// What waits for a person, in a list: enough to know which one it is, and to answer it.
import { expect, it, vi } from 'vitest';
import { emptyPlan } from '../../../src/dispatch/index.js';
import type { Ask } from '../../../src/engine/index.js';
import { permissionAsk } from '../../engine/builders.js';
import { givenDesk } from '../channels/terminal/given.js';

const ask = { ...permissionAsk, text: 'Bash asks for:\nnpm publish' };

/** Requests are asked by the step that is at work. */
async function givenRequests(...keys: readonly string[]) {
  return givenAsked(keys.map((key) => ({ key, ask: { ...ask, text: `${ask.text} ${key}` } })));
}

async function givenAsked(asked: readonly { readonly key: string; readonly ask: Ask }[]) {
  const desk = await givenDesk();
  const { app, say } = desk;
  await say('continue demo');
  const told = await vi.waitFor(() => {
    const [run] = app.runtime.store.liveRuns('demo');
    const [live] = run?.live ?? [];
    if (!run || !live) throw new Error('nothing is live');
    return { run: run.id, chain: live.chain, attempt: live.attempt };
  }, 10_000);
  await app.runtime.submit(({ at }) => ({
    ...emptyPlan,
    events: [
      { ...told, at, type: 'attempt_started', worker: 'w1' },
      ...asked.map((one) => ({ ...told, at, type: 'agent_asked' as const, ...one })),
    ],
  }));
  const ids = app.runtime.store.openInteractions('demo').map(({ interaction }) => interaction.id);
  return { ...desk, ids };
}

it('the inbox and the status list a permission request with its command and story', async () => {
  const {
    say,
    ids: [id],
  } = await givenRequests('k1');
  const words = 'Bash asks for: npm publish k1';
  expect((await say('inbox')).messages[0]?.view.text).toBe(
    `Needs you · 1\n1. Permission · npm publish (${id})\ndemo · US-001 · BDD scenarios · 0 s`,
  );
  expect((await say('status')).messages[0]?.view.text).toContain(`Needs you: permission ${id} of US-001: ${words}`);
});

it('the status says that the proposal of a waiting task needs the person who may start it', async () => {
  const { say } = await givenRequests('k1');
  await say('demo: add a search field');
  const text = (await say('status')).messages[0]?.view.text;
  expect(text).toMatch(/^Needs you: confirm i\d+-1: /m);
  expect(text).not.toContain('Waits for others');
});

it('"why" names every card that a project waits for', async () => {
  const { say, ids } = await givenRequests('k1', 'k2');
  const [first, second] = ids;
  expect((await say('why demo')).messages[0]?.view.text.split('\n')).toEqual([
    `demo is waiting for a person: permission ${first}.`,
    'Bash asks for:',
    'npm publish k1',
    `Also permission ${second}: Bash asks for: npm publish k2`,
  ]);
});

it('unclear words are offered as the answer to the only question that waits, before a new task', async () => {
  const question: Ask = { kind: 'question', text: 'Which order?', options: [], permission: null };
  const { say, ids } = await givenAsked([{ key: 'k1', ask: question }]);
  const [told] = (await say('newest first please')).messages;
  const [show, use] = told?.view.buttons ?? [];
  expect([show?.label, use?.label]).toEqual(['Show Question · Which order?', 'Use it as the answer']);
  expect(told?.view.offers?.[1]).toEqual(`@answer ${ids[0]} answer newest first please`);
});
