// What comes twice counts once, what comes late changes nothing, and the events alone tell the whole state.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { emptyPlan, stateFile } from '../../src/dispatch/index.js';
import { apply, type Event, emptyEnvelope, emptyWorld, renderPrompt } from '../../src/engine/index.js';
import { type Bosun, givenBosun, test, until } from './bosun.js';

const short = { workflow: 'stories' };
const passed = { ...emptyEnvelope, exit: 0, result: { status: 'pass', reason: null, summary: 'late' } };

function eventsOf(bosun: Bosun, run = 'r1'): readonly Event[] {
  return bosun.app.runtime.store.events(run, 0, 10_000).map(({ event }) => event);
}

function settle(bosun: Bosun, attempt: string) {
  return bosun.app.runtime.submit((now) => ({
    ...emptyPlan,
    events: [{ type: 'attempt_settled', run: 'r1', chain: 'US-001', at: now.at, attempt, envelope: passed }],
  }));
}

test('a repeated completion is ignored as superseded and posts nothing', async () => {
  const bosun = await givenBosun({ projects: { shop: short } });
  await bosun.run('shop', 'US-001 one');
  const before = { status: bosun.status(), calls: bosun.calls().length, posts: bosun.posts().length };
  const settled = eventsOf(bosun).filter((event) => event.type === 'attempt_settled');
  const recorded = eventsOf(bosun).length;
  for (const event of settled) {
    const again = await bosun.app.runtime.submit(() => ({ ...emptyPlan, events: [event] }));
    expect(again.ignored).toEqual(['superseded']);
  }
  expect(settled.length).toBeGreaterThan(0);
  expect(eventsOf(bosun).slice(recorded)).toEqual(settled);
  await bosun.rest();
  expect({ status: bosun.status(), calls: bosun.calls().length, posts: bosun.posts().length }).toEqual(before);
});

test('a job delivered twice starts once', async () => {
  const bosun = await givenBosun({ projects: { shop: short }, plan: { build: { until: 'go' } } });
  await bosun.run('shop', 'US-001 one', { hasty: true });
  await bosun.called('build');
  const [open] = bosun.app.runtime.store.openAttempts();
  const again = await bosun.app.runtime.submit((now) => ({
    ...emptyPlan,
    events: [
      {
        type: 'attempt_started',
        run: 'r1',
        chain: 'US-001',
        at: now.at,
        attempt: open?.attempt.id ?? '',
        worker: 'another',
      },
    ],
  }));
  expect(again.ignored).toEqual(['superseded']);
  bosun.openGate('go');
  await bosun.rest();
  expect(bosun.calls('build')).toHaveLength(1);
});

test('a button pressed twice at once acts once, and the second press is answered "already answered"', async () => {
  const bosun = await givenBosun({ projects: { shop: short } });
  await bosun.run('shop', 'US-001 one');
  const { id } = bosun.asked();
  const presses = await Promise.all([bosun.press(`${id}.approve`), bosun.press(`${id}.approve`)]);
  expect(presses.map((press) => press.exit).sort()).toEqual([0, 3]);
  expect(bosun.posts().join('\n')).toContain(`(${id}) is already closed`);
  expect(bosun.calls()).toHaveLength(1);
  expect(eventsOf(bosun).filter((event) => event.type === 'answered')).toHaveLength(1);
  expect(bosun.status().run?.status).toBe('completed');
});

test('of a simultaneous approval and change request the first wins, and the text of the other is quoted back', async () => {
  const bosun = await givenBosun({ projects: { shop: short } });
  await bosun.run('shop', 'US-001 one');
  const { id } = bosun.asked();
  const [, second] = await Promise.all([
    bosun.press(`${id}.approve`),
    bosun.press(`${id}.changes`, { text: 'no, wait' }),
  ]);
  expect(second.exit).toBe(3);
  expect(bosun.posts().join('\n')).toContain('Your words are kept: “no, wait”');
  expect(bosun.calls('build')).toHaveLength(1);
  expect(bosun.calls()).toHaveLength(1);
});

test('a message with a known external id is handled once', async () => {
  const bosun = await givenBosun({ projects: { shop: short } });
  await bosun.import('shop', [{ id: 'US-001', title: 'One' }]);
  const externalId = randomUUID();
  const body = { type: 'text' as const, text: 'continue shop', replyTo: null };
  const said = { thread: 'local', by: null, cwd: '/', source: 'chat', externalId, body };
  await bosun.app.door.hear(said);
  await expect(bosun.app.door.hear(said)).rejects.toThrow('was heard before');
  await bosun.rest();
  expect(bosun.calls('build')).toHaveLength(1);
});

test('a completion after an abort changes nothing and is not reported as complete', async () => {
  const bosun = await givenBosun({ projects: { shop: short }, plan: { build: { until: 'go' } } });
  await bosun.run('shop', 'US-001 one', { hasty: true });
  await bosun.called('build');
  const [open] = bosun.app.runtime.store.openAttempts();
  await bosun.say('abort', { hasty: true });
  await bosun.pressButton('Abort it');
  const before = bosun.status();
  expect((await settle(bosun, open?.attempt.id ?? '')).ignored).toEqual(['superseded']);
  bosun.openGate('go');
  await bosun.rest();
  expect(bosun.status()).toEqual(before);
  expect(bosun.status()).toMatchObject({ run: { status: 'cancelled' }, items: [{ status: 'cancelled' }] });
  expect(bosun.calls()).toHaveLength(1);
  expect(bosun.thread().some((message) => /build complete/.test(message.text))).toBe(false);
  expect(bosun.thread().at(-1)?.text).toContain('aborted before it was done');
});

/** Which files there are to read is seen in the checkout, not in the events. */
function withoutFiles(prompt: string): string {
  return prompt.replace(/Please read the following files in order:\n(?:\d+\. .*\n)+\n?/, '');
}

test('replaying the events gives the same state, files, step order and prompts', async () => {
  const bosun = await givenBosun({
    projects: { shop: { afterStory: 'start' } },
    plan: {
      'US-001 bdd': [{ exit: 1 }, { digest: 'a digest', questions: ['Which?'] }],
      'US-001 contract': [{ status: 'needs_human', summary: 'EUR?' }, {}],
      'US-001 impl': [{ status: 'failing', tests: { pass: 1, fail: 1 } }, {}],
      'US-002 impl': { status: 'failing', reason: 'scope_warning', summary: 'a Non-Goal' },
    },
  });
  await bosun.import('shop', [
    { id: 'US-001', title: 'One' },
    { id: 'US-002', title: 'Two', depends_on: ['US-001'] },
  ]);
  await bosun.say('continue shop');
  await bosun.reply('question', 'yes, EUR');
  await bosun.reply('review', 'reject: scope_warning smaller');
  await bosun.reply('review', '30 seconds, others OK');
  await bosun.reply('review', 'ok');
  expect(bosun.asked()).toMatchObject({ kind: 'review', item: 'US-002' });

  const { store } = bosun.app.runtime;
  const spine = store.spine('r1');
  if (!spine) throw new Error('no run');
  const { workflow } = spine;
  const dispatched: string[] = [];
  const prompts: string[] = [];
  let world = emptyWorld;
  for (const event of eventsOf(bosun)) {
    const applied = apply(world, event, workflow);
    world = applied.world;
    for (const effect of applied.decision.effects) {
      if (effect.type !== 'dispatch') continue;
      dispatched.push(effect.attempt);
      prompts.push(withoutFiles(renderPrompt(applied.decision.state, effect.node).text));
    }
  }
  const { state } = world;
  if (!state) throw new Error('nothing was replayed');
  expect(state.run).toEqual(spine.run);
  expect(state.items).toEqual(spine.items);
  expect(state.interactions.filter((one) => one.state === 'open')).toEqual(spine.interactions);
  for (const key of ['', 'US-001', 'US-002']) expect(world.chains.get(key)).toEqual(store.chain('r1', key));
  const calls = bosun.calls();
  expect(prompts.map((prompt) => prompt.trim())).toEqual(calls.map((call) => withoutFiles(call.prompt).trim()));
  expect(dispatched.length).toBe(calls.length);
  for (const key of ['US-001', 'US-002']) {
    const chain = world.chains.get(key);
    if (!chain) throw new Error(`no chain ${key}`);
    expect(JSON.parse(bosun.read(`.ai/states/${key}.json`))).toEqual(stateFile({ ...state, workflow }, chain));
  }
  expect(store.auditBreak()).toBeNull();
});

test('STATE.json mirrors the status of each step', async () => {
  const bosun = await givenBosun({
    plan: { bdd: [{ status: 'failing', reason: 'nfr_missing', until: 'a' }, { until: 'b' }] },
  });
  await bosun.run('shop', 'US-001 one', { hasty: true });
  await bosun.called('bdd');
  const state = () => JSON.parse(bosun.read('.ai/STATE.json'));
  await until('it runs', () => bosun.has('.ai/STATE.json') && state().status === 'running');
  expect(state()).toMatchObject({
    project: 'shop',
    story: 'US-001',
    step: 'bdd',
    attempt: 1,
    max_attempts: 3,
    completed_at: null,
    timeout_min: 5,
  });
  bosun.openGate('a');
  await bosun.called('bdd', 2);
  await until('it runs again', () => state().attempt === 2 && state().status === 'running');
  bosun.openGate('b');
  await bosun.rest();
  expect(state()).toMatchObject({ step: 'review', status: 'needs_human', attempt: 1 });
  await bosun.reply('review', 'ok');
  expect(state()).toMatchObject({ story: 'US-001', step: 'done', status: 'pass', blocked_by: [], human_note: null });
  expect(JSON.parse(bosun.read('.ai/states/US-001.json'))).toEqual(state());
});
