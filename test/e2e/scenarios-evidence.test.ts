// What an agent claims against what is seen: reports, stale files, red tests, questions, time.
import { expect } from 'vitest';
import { type Bosun, givenBosun, test, until } from './bosun.js';

async function reviewed(bosun: Bosun): Promise<void> {
  await bosun.run('shop', 'US-001 a thing');
  await bosun.reply('review', 'ok');
}

test('a constitution violation in the last impl attempt goes back to sdd-delta, and the review is asked again', async () => {
  const bosun = await givenBosun({
    plan: {
      impl: [
        ...Array.from({ length: 4 }, () => ({ status: 'failing', summary: 'not yet' })),
        { status: 'failing', reason: 'constitution_violation', summary: 'layers are crossed' },
        { status: 'needs_human', summary: 'enough' },
      ],
    },
  });
  await reviewed(bosun);
  expect(bosun.calls('impl').map((call) => call.attempt)).toEqual([1, 2, 3, 4, 5]);
  expect(bosun.calls('sdd-delta')).toHaveLength(2);
  expect(bosun.calls('sdd-delta')[1]?.prompt).toContain('layers are crossed');
  expect(bosun.asked().kind).toBe('review');
  await bosun.reply('review', 'ok');
  expect(bosun.calls('impl')[5]?.attempt).toBe(1);
});

test('failing tests override the result file, which overrides the handoff, and the conflict is recorded', async () => {
  const bosun = await givenBosun({
    plan: {
      impl: [
        { status: 'failing', result: 'status: pass\nsummary: all green\n', tests: { pass: 42, fail: 2 } },
        { status: 'needs_human', summary: 'enough' },
      ],
    },
  });
  await reviewed(bosun);
  const posts = bosun.posts().join('\n');
  expect(posts).toContain('impl failing (attempt 1), 42/44, 2 failing, trying again');
  const [again] = bosun.calls('impl').slice(1);
  expect(again?.prompt).toContain('(Attempt 2 of 5)');
  expect(again?.prompt).toContain('failing: test 43');
  const { store } = bosun.app.runtime;
  const [first] = store.attempts('r1', bosun.node('impl').id);
  expect(first?.attempt).toMatchObject({ outcome: 'failing', claim: 'pass', tests: { pass: 42, fail: 2 } });
  expect(first?.attempt.warnings.join('\n')).toContain('executor-result says pass, HANDOFF says failing');
});

test.each([
  ['story', { story: 'US-009' }],
  ['step', { step: 'verify' }],
  ['attempt', { attempt: 7 }],
])('a handoff that names another %s is no report of this attempt', async (_, front) => {
  const bosun = await givenBosun({ plan: { bdd: [{ front }, {}] } });
  await bosun.run('shop', 'US-001 a thing');
  const [first] = bosun.app.runtime.store.attempts('r1', bosun.node('bdd').id);
  expect(first?.attempt).toMatchObject({ outcome: 'crashed', reason: 'no_report' });
  expect(bosun.calls('bdd')).toHaveLength(2);
  expect(bosun.asked().kind).toBe('review');
});

test('files left by an earlier attempt are not read as the report of a later one', async () => {
  const bosun = await givenBosun({
    plan: {
      'sdd-delta': [{ handoff: false }, { handoff: false }, { handoff: false }],
      bdd: { result: 'status: pass\n' },
    },
  });
  await bosun.run('shop', 'US-001 a thing');
  expect(bosun.calls('sdd-delta')).toHaveLength(3);
  expect(bosun.node('sdd-delta')).toMatchObject({ outcome: 'crashed', reason: 'no_report', state: 'needs_human' });
  expect(bosun.asked()).toMatchObject({ kind: 'escalation' });
  expect(bosun.asked().options.map((one) => one.label)).toEqual([
    'Retry',
    'Retry with a note',
    'Skip',
    'Rollback',
    'Abort',
  ]);
});

test('a scaffold passes with red tests', async () => {
  const bosun = await givenBosun({
    plan: { scaffold: { tests: { pass: 3, fail: 2 } }, impl: { status: 'needs_human', summary: 'enough' } },
  });
  await reviewed(bosun);
  expect(bosun.calls('scaffold')).toHaveLength(1);
  expect(bosun.node('scaffold')).toMatchObject({ outcome: 'pass', tests: { pass: 3, fail: 2, skip: 0 } });
});

test('a scaffold fails with green tests or a reported reason, and asks when its attempts are used up', async () => {
  const bosun = await givenBosun({
    plan: {
      scaffold: [
        { tests: { pass: 5, fail: 0 } },
        { status: 'failing', reason: 'nfr_missing', tests: { pass: 0, fail: 5 } },
      ],
    },
  });
  await reviewed(bosun);
  expect(bosun.calls('scaffold').map((call) => call.attempt)).toEqual([1, 2]);
  expect(bosun.asked()).toMatchObject({ kind: 'escalation', item: 'US-001' });
  expect(bosun.asked().text).toContain('US-001 stuck at scaffold (2 attempts)');
  expect(bosun.node('scaffold')).toMatchObject({ outcome: 'failing', reason: 'nfr_missing' });
});

test("an agent's question is asked in the thread, and its answer reaches that agent and approves nothing", async () => {
  const bosun = await givenBosun({
    plan: {
      contract: [{ status: 'needs_human', summary: 'EUR or USD?' }, {}],
      scaffold: { status: 'needs_human', summary: 'Sure?' },
    },
  });
  await bosun.run('shop', 'US-001 a thing');
  expect(bosun.asked()).toMatchObject({ kind: 'question', item: 'US-001' });
  expect(bosun.asked().text).toContain('EUR or USD?');
  await bosun.reply('question', 'yes, EUR');
  expect(bosun.calls('contract')[1]?.prompt).toContain('You asked: EUR or USD?\nThe answer: yes, EUR');
  expect(bosun.calls('contract')[1]?.attempt).toBe(1);
  expect(bosun.asked().kind).toBe('review');
  expect(bosun.calls('scaffold')).toHaveLength(0);
});

test('a failing verify sends the story back to impl once and then asks', async () => {
  const bosun = await givenBosun({ plan: { verify: { status: 'failing', summary: 'an NFR is missed' } } });
  await reviewed(bosun);
  expect(bosun.calls('verify')).toHaveLength(2);
  expect(bosun.calls('impl')).toHaveLength(2);
  expect(bosun.calls('impl')[1]?.prompt).toContain('an NFR is missed');
  expect(bosun.asked()).toMatchObject({ kind: 'escalation' });
  expect(bosun.posts().join('\n')).toContain('verify failing (attempt 1), 44/44, back to impl');
});

test('an exit code overrides a claimed pass, and an unknown status never passes', async () => {
  const bosun = await givenBosun({ plan: { bdd: [{ exit: 3, print: 'boom' }, { status: 'splendid' }, {}] } });
  await bosun.run('shop', 'US-001 a thing');
  const outcomes = bosun.app.runtime.store.attempts('r1', bosun.node('bdd').id).map(({ attempt }) => attempt.outcome);
  expect(outcomes).toEqual(['crashed', 'failing', 'pass']);
  expect(bosun.calls('bdd').map((call) => call.attempt)).toEqual([1, 1, 2]);
});

test('a step that times out is killed, and one card asks the person with the minutes', async () => {
  const rules = 'steps:\n  bdd: { timeout: 1s }\n';
  const bosun = await givenBosun({ plan: { bdd: [{ until: 'never' }, {}] } });
  bosun.write('.ai/step-rules.yaml', rules);
  await bosun.run('shop', 'US-001 a thing');
  expect(bosun.calls('bdd')).toHaveLength(1);
  expect(bosun.node('bdd')).toMatchObject({ outcome: 'timeout', state: 'needs_human' });
  expect(bosun.asked().kind).toBe('escalation');
  expect(bosun.asked().text).toMatch(/US-001's bdd timed out \(.*minutes?\)/);
  expect(bosun.thread().filter((message) => /timed out after \d+ min/.test(message.text))).toHaveLength(1);
  expect(() => process.kill(bosun.calls('bdd')[0]?.pid ?? 0, 0)).toThrow();
  expect(JSON.parse(bosun.read('.ai/STATE.json'))).toMatchObject({ step: 'bdd', status: 'timeout' });
  await bosun.pressButton('Retry');
  expect(bosun.calls('bdd')).toHaveLength(2);
  expect(bosun.asked().kind).toBe('review');
});

test('an agent close to its timeout is offered more time, and the button grants it', async () => {
  const bosun = await givenBosun({ plan: { bdd: { mutters: 'thinking', until: 'go' } } });
  bosun.write('.ai/step-rules.yaml', 'bdd: { timeout: 8s }\n');
  await bosun.run('shop', 'US-001 a thing', { hasty: true });
  await bosun.called('bdd');
  const begun = Date.now();
  await until('more time is offered', () =>
    bosun.thread().some((one) => one.buttons.some(({ label }) => label === '+30 min')),
  );
  const given = await bosun.pressButton('+30 min', { hasty: true });
  expect(given.text).toBe('shop: 30 more minutes.');
  await until('the old limit has passed', () => Date.now() - begun > 8_500);
  expect(bosun.node('bdd').state).toBe('running');
  bosun.openGate('go');
  await bosun.rest();
  expect(bosun.node('bdd').outcome).toBe('pass');
});
