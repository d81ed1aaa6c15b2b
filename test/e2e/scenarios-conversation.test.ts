// The conversation that a person has with one project, from "Continue A" to "Stop for today".
import { expect } from 'vitest';
import { givenBosun, test } from './bosun.js';

const stories = [
  { id: 'US-005', title: 'Order history' },
  { id: 'US-006', title: 'Discount codes' },
];

const lastOf = (posts: readonly string[], text: string) => posts.findLastIndex((post) => post.includes(text));

test('"Continue A" walks two stories to the end of the run and posts every test count on the way', async () => {
  const bosun = await givenBosun({
    projects: { shop: { aliases: ['A'] } },
    plan: {
      'US-005 bdd': { digest: 'First' },
      'US-006 bdd': { digest: 'Scenario: a code expires', questions: ['Which timeout shall a payment have?'] },
      'US-005 impl': [
        { status: 'failing', summary: 'two left', tests: { pass: 40, fail: 4 } },
        { status: 'failing', tests: { pass: 42, fail: 2 } },
        { tests: { pass: 44, fail: 0 }, until: 'go' },
      ],
    },
  });
  await bosun.import('shop', stories);
  await bosun.say('Continue A');
  await bosun.reply('review', 'lgtm', { hasty: true });
  await bosun.called('impl', 3);
  const again = await bosun.say('Continue A', { hasty: true });
  expect(again.text).toMatch(/^US-005 is still running \(impl\), for \d+ s\.$/);
  expect(bosun.thread().at(-2)?.text).toContain('executing US-005 impl (attempt 3)');
  bosun.openGate('go');
  await bosun.rest();

  const posts = bosun.posts();
  const said = [
    'US-005 impl failing (attempt 1), 40/44, 4 failing, trying again',
    'executing US-005 impl (attempt 2)',
    'US-005 impl failing (attempt 2), 42/44, 2 failing, trying again',
    'executing US-005 impl (attempt 3)',
    'US-005 impl complete, 44/44, entering verify',
    'executing US-005 verify (attempt 1)',
    'US-005 verify complete, 44/44, entering update-memory',
    'US-005 update-memory complete',
    'US-005 done · Order history',
    'Next: US-006 Discount codes',
  ].map((text) => ({ text, at: lastOf(posts, text) }));
  expect(said.filter(({ at }) => at < 0)).toEqual([]);
  expect(said.map(({ at }) => at)).toEqual(said.map(({ at }) => at).sort((a, b) => a - b));
  expect(bosun.calls('bdd')).toHaveLength(1);
  expect(bosun.status().items.map((item) => item.status)).toEqual(['done', 'ready']);

  const stopped = await bosun.say('Stop for today');
  expect(stopped.text).toContain('Done: US-005');
  expect(stopped.text).toContain('Next: US-006 Discount codes');
  expect(bosun.status().items.map((item) => item.status)).toEqual(['done', 'ready']);

  await bosun.say('continue A');
  expect(bosun.status().items.map((item) => item.status)).toEqual(['done', 'running']);
  const review = bosun.thread().findLast((message) => message.kind === 'review');
  expect(review?.text).toContain('BDD scenarios: Scenario: a code expires');
  expect(review?.text).toContain('Open questions:\n1. Which timeout shall a payment have?');
  const labels = review?.buttons.map((button) => button.label);
  expect(labels).toEqual(['Approve', 'Request changes', 'Reject', 'Show diff', 'Show log']);

  const approved = await bosun.reply('review', '30 seconds, others OK');
  expect(approved.text).toMatch(/✅ Approved ·.*by Owner/s);
  const told = bosun.calls().filter((call) => call.prompt.includes('30 seconds'));
  expect(told.map((call) => `${call.item} ${call.step}`)).toEqual(['US-006 scaffold']);
  expect(told[0]?.prompt).toMatch(/=== Human Instruction ===\n30 seconds/);
  expect(bosun.status().run?.status).toBe('completed');
});

test('"Stop for today" lists the finished and the next story, and "continue" resumes from there', async () => {
  const bosun = await givenBosun({ projects: { shop: { aliases: ['A'], workflow: 'stories' } } });
  await bosun.import('shop', [...stories, { id: 'US-007', title: 'Returns' }]);
  await bosun.say('continue A');
  await bosun.reply('review', 'ok');
  const stopped = await bosun.say('Stop for today');
  expect(stopped.text).toContain('Done: US-005');
  expect(stopped.text).toContain('Next: US-006 Discount codes');
  expect(bosun.status().run).toMatchObject({ status: 'paused', pause_reason: 'user' });
  const calls = bosun.calls().length;
  await bosun.say('continue A');
  expect(bosun.calls().length).toBeGreaterThan(calls);
  expect(bosun.status().run).toMatchObject({ status: 'paused', pause_reason: 'decision' });
});

test('one edited progress card shows the last finished step and the running one', async () => {
  const bosun = await givenBosun({ plan: { verify: { until: 'go' } } });
  await bosun.run('shop', 'US-001 a thing');
  await bosun.reply('review', 'ok', { hasty: true });
  await bosun.called('verify');
  const card = bosun.thread().findLast((message) => message.kind === 'progress');
  expect(card?.text).toContain('executing US-001 verify (attempt 1)');
  expect(card?.text).toContain('impl complete, 44/44');
  bosun.openGate('go');
  await bosun.rest();
});

test('a review rejected for constitution_violation goes back to sdd-delta and is asked again after contract', async () => {
  const bosun = await givenBosun({
    plan: {
      bdd: { digest: 'three scenarios', questions: ['EUR?'] },
      scaffold: { status: 'needs_human', summary: 'enough' },
    },
  });
  await bosun.run('shop', 'US-001 a thing');
  await bosun.reply('review', 'reject: constitution_violation orders may not know customers');
  expect(bosun.calls().map((call) => call.step)).toEqual(['bdd', 'sdd-delta', 'contract', 'sdd-delta', 'contract']);
  expect(bosun.calls('sdd-delta')[1]?.prompt).toContain('orders may not know customers');
  expect(bosun.calls('contract')[1]?.prompt).not.toContain('orders may not know customers');
  expect(bosun.asked().kind).toBe('review');
  const review = bosun.thread().findLast((message) => message.kind === 'review');
  // What was not done again is still to be looked at.
  expect(review?.text).toContain('BDD scenarios: three scenarios');
  expect(review?.text).toContain('1. EUR?');
  expect(bosun.calls('scaffold')).toHaveLength(0);
  await bosun.say(`approve ${bosun.asked().id}: use 30 seconds`);
  expect(bosun.calls().filter((call) => call.prompt.includes('use 30 seconds'))).toHaveLength(1);
  expect(bosun.calls('scaffold')).toHaveLength(1);
  expect(bosun.asked().kind).toBe('question');
});

test('"Request changes" takes the default route back, and its text reaches that step once', async () => {
  const bosun = await givenBosun();
  await bosun.run('shop', 'US-001 a thing');
  const bare = await bosun.pressButton('Request changes');
  expect(bare.text).toContain('What should change?\nReply to this message');
  expect(bosun.asked().kind).toBe('review');
  const asking = bosun.thread().at(-1);
  await bosun.say('Name the currency', { replyTo: asking?.message ?? '' });
  expect(bosun.calls().map((call) => call.step)).toEqual([
    'bdd',
    'sdd-delta',
    'contract',
    'bdd',
    'sdd-delta',
    'contract',
  ]);
  expect(bosun.calls().filter((call) => call.prompt.includes('Name the currency'))).toHaveLength(1);
  expect(bosun.calls('bdd')[1]?.prompt).toContain('Name the currency');
  const withText = await bosun.pressButton('Request changes', { text: 'And the country' });
  expect(withText.text).toMatch(/Changes requested ·.*by Owner/s);
  expect(bosun.calls('bdd')[2]?.prompt).toContain('And the country');
});

test('"Reject" asks for a reason and follows the route of that reason', async () => {
  const bosun = await givenBosun();
  await bosun.run('shop', 'US-001 a thing');
  await bosun.pressButton('Reject');
  const labels = bosun
    .thread()
    .at(-1)
    ?.buttons.map((button) => button.label);
  expect(labels).toEqual([
    'needs clarification',
    'constitution violation',
    'scope warning',
    'Another reason',
    'End the run',
    'Back to the review',
  ]);
  const chosen = await bosun.pressButton('scope warning');
  expect(chosen.text).toMatch(/❌ Rejected \(scope warning\) ·.*by Owner/s);
  expect(
    bosun
      .calls()
      .map((call) => call.step)
      .slice(3),
  ).toEqual(['sdd-delta', 'contract']);
  await bosun.pressButton('Reject');
  await bosun.pressButton('Back to the review');
  expect(bosun.asked().kind).toBe('review');
  await bosun.pressButton('Reject');
  await bosun.pressButton('End the run');
  expect(bosun.status().run?.status).toBe('cancelled');
});

test('a reply that decides nothing is asked about, and its text is kept', async () => {
  const bosun = await givenBosun();
  await bosun.run('shop', 'US-001 a thing');
  const asked = await bosun.reply('review', 'Hmm, what about the other currencies?');
  expect(asked.text).toMatch(
    /^Is “Hmm, what about the other currencies\?” an approval or a change request for “a thing” \(i1-1\)\?/,
  );
  expect(bosun.asked().kind).toBe('review');
  expect(bosun.calls()).toHaveLength(3);
  await bosun.pressButton('Request changes with these words');
  expect(bosun.calls('bdd')[1]?.prompt).toContain('what about the other currencies?');
});

test('free text never approves, and a sentence that merely contains a verb does nothing', async () => {
  const bosun = await givenBosun();
  await bosun.run('shop', 'US-001 a thing');
  for (const text of [
    'ok',
    'lgtm',
    'yes',
    'add integration tests for the status page',
    'please retry that later maybe',
  ]) {
    await bosun.say(text);
    expect(bosun.asked().kind).toBe('review');
    expect(bosun.calls()).toHaveLength(3);
  }
  const unclear = await bosun.say('add integration tests for the status page');
  expect(unclear.exit).toBe(2);
  const shown = await bosun.say('continue');
  expect(shown.messages.at(-1)?.buttons.map((button) => button.label)).toEqual([
    'Approve',
    'Request changes',
    'Reject',
    'Show diff',
  ]);
});

test('meaningless presses and messages are refused and do nothing', async () => {
  const bosun = await givenBosun({ projects: { shop: { workflow: 'stories' } } });
  await bosun.run('shop', 'US-001 a thing');
  const { id } = bosun.asked();
  for (const press of ['i9-9.approve', `${id}.nope`, id, 'm1.0', 'm999.0', 'xyz', '']) {
    expect(await bosun.press(press)).toMatchObject({ exit: 3 });
  }
  for (const text of ['', '🎉', 'x'.repeat(5000), 'continue shop; rm -rf /', `@answer ${id} approve`, '@kill shop']) {
    expect(await bosun.say(text)).toMatchObject({ exit: 2 });
  }
  expect(bosun.asked()).toMatchObject({ id, state: 'open' });
  expect(bosun.calls()).toHaveLength(1);
});

test.each([
  ['approve: use 30 seconds', 'use 30 seconds', 0],
  ['ok, use 30 seconds', 'use 30 seconds', 0],
  ['no, use 30 seconds', 'use 30 seconds', 1],
  ['reject: scope_warning use 30 seconds', 'use 30 seconds', 1],
])('"%s" in reply to a review reaches the next prompt once', async (text, remark, again) => {
  const bosun = await givenBosun({ plan: { scaffold: { status: 'needs_human', summary: 'enough' } } });
  await bosun.run('shop', 'US-001 a thing');
  await bosun.reply('review', text);
  const told = bosun.calls().filter((call) => call.prompt.includes(remark));
  expect(told).toHaveLength(1);
  expect(bosun.calls('sdd-delta')).toHaveLength(1 + again);
});
