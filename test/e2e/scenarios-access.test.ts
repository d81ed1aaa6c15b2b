// Who may say and press what: viewer, reviewer, operator, owner, and somebody whom the project does not know.
import { expect } from 'vitest';
import { type Bosun, givenBosun, test } from './bosun.js';

const people = { vic: 'viewer', rex: 'reviewer', ola: 'operator', own: 'owner' };

async function given(plan = {}): Promise<Bosun> {
  const projects = { shop: { workflow: 'quick', members: people }, blog: { members: { zed: 'operator' } } };
  const bosun = await givenBosun({ projects, plan });
  await bosun.run('shop', 'a thing');
  return bosun;
}

const verbs: readonly (readonly [string, readonly string[]])[] = [
  ['status shop', ['vic', 'rex', 'ola', 'own']],
  ['steps shop', ['vic', 'rex', 'ola', 'own']],
  ['history shop', ['vic', 'rex', 'ola', 'own']],
  ['cost shop', ['vic', 'rex', 'ola', 'own']],
  ['why shop', ['vic', 'rex', 'ola', 'own']],
  ['log shop implement', ['vic', 'rex', 'ola', 'own']],
  ['diff shop', ['vic', 'rex', 'ola', 'own']],
  ['continue shop', ['ola', 'own']],
  ['retry shop', ['ola', 'own']],
  ['skip shop review', ['ola', 'own']],
  ['stop shop', ['ola', 'own']],
  ['abort shop', ['ola', 'own']],
  ['rollback shop to implement', ['ola', 'own']],
  ['shop: another thing', ['ola', 'own']],
  ['budget shop +5', ['own']],
];

test.each(['vic', 'rex', 'ola'])('%s is refused everything above the role, and no event is stored', async (who) => {
  const bosun = await given();
  const events = bosun.app.runtime.store.events('r1', 0, 1000).length;
  for (const [text, allowed] of verbs) {
    if (allowed.includes(who)) continue;
    const said = await bosun.say(text, { as: who });
    expect({ text, exit: said.exit, said: said.text }).toMatchObject({
      exit: 3,
      said: expect.stringMatching(/^You're an? \w+ in shop; .* takes an? /),
    });
  }
  expect(bosun.app.runtime.store.events('r1', 0, 1000)).toHaveLength(events);
  expect(bosun.status().drafts).toEqual([]);
});

test.each(['vic', 'rex', 'ola', 'own'])('%s may do everything that the role allows', async (who) => {
  const bosun = await given();
  for (const [text, allowed] of verbs) {
    if (!allowed.includes(who) || /^(skip|abort|rollback|retry)/.test(text)) continue;
    const said = await bosun.say(text, { as: who, hasty: true });
    expect({ text, said: said.text, exit: said.exit }).toMatchObject({
      said: expect.not.stringContaining(' takes a'),
      exit: 0,
    });
  }
});

test('a member of another project sees nothing of this one', async () => {
  const bosun = await given();
  const { id } = bosun.asked();
  for (const [text] of verbs) {
    const said = await bosun.say(text, { as: 'zed' });
    expect({ text, said: said.text }).toMatchObject({
      said: expect.not.stringMatching(/a thing|implement:|in shop; .* takes a/),
    });
  }
  expect((await bosun.press(`${id}.approve`, { as: 'zed' })).text).toBe(`There is no card ${id}.`);
  for (const word of ['approve', 'reject']) {
    expect((await bosun.say(`${word} ${id}`, { as: 'zed' })).text).toBe(`There is no card ${id}.`);
  }
  expect((await bosun.reply('review', 'what is this?', { as: 'zed' })).text).toBe(`There is no card ${id}.`);
  for (const text of ['inbox', 'projects', 'whoami']) {
    expect((await bosun.say(text, { as: 'zed' })).text).not.toContain('shop');
  }
  expect(bosun.asked()).toMatchObject({ id, state: 'open' });
});

test('an unknown name is an error and never acts as the owner', async () => {
  const bosun = await given();
  await expect(bosun.say('status shop', { as: 'nobody' })).rejects.toThrow('No person is named "nobody"');
  await expect(bosun.run('shop', 'x', { as: 'nobody' })).rejects.toThrow('No person is named "nobody"');
  await expect(bosun.run('shop', 'x', { as: 'rex' })).rejects.toThrow(/rex/);
  await expect(bosun.import('shop', [{ id: 'A-1', title: 'a' }], { as: 'vic' })).rejects.toThrow(/vic/);
});

test('a reviewer may answer a review and a viewer may not, and a late press shows who answered', async () => {
  const bosun = await given();
  const { id } = bosun.asked();
  for (const press of ['approve', 'changes', 'reject']) {
    const refused = await bosun.press(`${id}.${press}`, { as: 'vic', text: 'x' });
    expect(refused).toMatchObject({ exit: 3 });
    expect(refused.text).toContain("You're a viewer in shop; ");
  }
  expect(await bosun.reply('review', 'lgtm', { as: 'vic' })).toMatchObject({ exit: 3 });
  expect(bosun.asked().id).toBe(id);
  const card = bosun.thread().findLast((message) => message.kind === 'review');
  await bosun.press(`${id}.approve`, { as: 'rex', text: 'nice work' });
  expect(bosun.status().run?.status).toBe('completed');
  const late = await bosun.press(`${id}.reject`, { as: 'ola' });
  expect(late).toMatchObject({ exit: 3 });
  expect(late.text).toMatch(/is already closed\. .*Approved by Rex, \d\d:\d\d, terminal: “nice work”/);
  const lateReply = await bosun.say('reject: too slow', { as: 'own', replyTo: card?.message ?? '' });
  expect(lateReply.exit).toBe(3);
  expect(lateReply.text).toContain('Approved by Rex');
  expect(lateReply.text).toContain('Your words are kept: “reject: too slow”');
});

test('answering an escalation or a proposal takes an operator', async () => {
  const bosun = await given({ implement: { status: 'failing' } });
  const { id } = bosun.asked();
  for (const who of ['vic', 'rex']) {
    for (const press of ['retry', 'skip', 'rollback', 'abort']) {
      expect(await bosun.press(`${id}.${press}`, { as: who })).toMatchObject({ exit: 3 });
    }
  }
  expect(bosun.asked().id).toBe(id);
  await bosun.press(`${id}.abort`, { as: 'ola' });
  expect(bosun.status().run?.status).toBe('cancelled');
  await bosun.say('shop: another thing', { as: 'ola' });
  const proposal = bosun.asked().id;
  expect(await bosun.press(`${proposal}.start`, { as: 'rex' })).toMatchObject({ exit: 3 });
  await bosun.press(`${proposal}.start`, { as: 'own' });
  expect(bosun.status().run?.status).toBe('paused');
});

test('an offer button takes the same right as the sentence it stands for', async () => {
  const projects = { shop: { workflow: 'quick', members: people } };
  const bosun = await givenBosun({ projects, plan: { implement: { until: 'go' } } });
  await bosun.run('shop', 'a thing', { hasty: true });
  await bosun.called('implement');
  await bosun.say('stop shop', { hasty: true });
  const kill = await bosun.pressButton('Kill it now', { as: 'rex', hasty: true });
  expect(kill).toMatchObject({ exit: 3 });
  expect(kill.text).toContain("You're a reviewer in shop; ");
  expect(bosun.node('implement').state).toBe('running');
  bosun.openGate('go');
  await bosun.rest();
  await bosun.say('status shop', { as: 'vic' });
  expect(await bosun.pressButton('Continue', { as: 'vic' })).toMatchObject({ exit: 3 });
});
