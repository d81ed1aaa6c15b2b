import { describe, expect, it } from 'vitest';
import { approveKnock, knocks } from '../../../../../src/config/people/pairing.js';
import { faults } from '../server/index.js';
import { given, reviewed, usualConfig } from './given.js';

const codePattern = /bosun pair ([A-Z2-9]{4}-[A-Z2-9]{4})/;

describe('a stranger', () => {
  it('gets only a pairing code, at most twice, and is heard once the host approves it', async () => {
    const { slack, home, posted, settled, runtime } = await given();
    const eve = slack.person('U09EVE', 'Eve');
    for (const text of ['status shop', 'stop all', 'shop: delete everything', 'hello?']) eve.says(eve.chat, text);
    await settled();
    const said = await posted(`sl:${eve.chat.id}`, 2);
    expect([said.length, said.join().includes('shop')]).toEqual([2, false]);
    const code = codePattern.exec(said[0] ?? '')?.[1] ?? '';
    expect([runtime.store.runs(null, 10, null), knocks(home, Date.now())]).toMatchObject([
      [],
      [{ name: 'Eve', channel: 'slack' }],
    ]);
    const membership = { project: 'shop', role: 'operator' } as const;
    expect(approveKnock(home, {}, { code, membership }, Date.now()).person).toBe('eve');
    eve.says(eve.chat, 'whoami');
    expect((await posted(`sl:${eve.chat.id}`, 3))[2]).toContain('shop: operator');
  });

  it('gets the pairing code privately, whether by mention, slash command or press', async () => {
    const { slack, general, settled, textsIn, shown, runtime } = await reviewed();
    const [eve, mallory, oscar] = ['U09EVE', 'U09MAL', 'U09OSC'].map((id) => slack.person(id, id.slice(3)));
    if (!eve || !mallory || !oscar) throw new Error('nobody');
    for (const one of [eve, mallory, oscar]) general.members.add(one.id);
    eve.mentions(general, 'approve i1-2');
    const delivery = mallory.slash(general, '/bosun', 'approve i1-2');
    oscar.presses(shown, 'Approve');
    eve.says(general, 'stop shop');
    await settled();
    expect(textsIn(`sl:${general.id}:@${eve.id}`)[0]).toMatch(codePattern);
    expect(delivery.answer).toMatchObject({ response_type: 'ephemeral', text: expect.stringMatching(codePattern) });
    expect(textsIn(`sl:${general.id}:@${oscar.id}`)[0]).toMatch(codePattern);
    expect(runtime.store.interaction('i1-2')?.interaction.state).toBe('open');
  });

  it('cannot act through an edit or a modal', async () => {
    const { slack, bob, shown, runtime, settled } = await reviewed();
    const eve = slack.person('U09EVE', 'Eve');
    const { message } = eve.says(eve.chat, 'hi');
    eve.edits(message, 'approve i1-2');
    bob.presses(shown, 'Request changes');
    await slack.until('the window is there', () => bob.modal !== null);
    const modal = bob.modal;
    if (modal === null) throw new Error('There is no window');
    const { action, errors } = await eve.submits(modal, { 'What should be different?': 'everything' });
    await settled();
    expect([action, Object.values(errors)]).toEqual(['errors', ["I don't know you yet."]]);
    expect(runtime.store.interaction('i1-2')?.interaction.state).toBe('open');
  });
});

describe('the sender filter', () => {
  it('ignores a guest even if config.yaml names them, and says so once', async () => {
    const { slack, settled, textsIn, general, intake } = await given();
    const vic = slack.person('U04VIC', 'Vic', { isRestricted: true });
    general.members.add(vic.id);
    vic.says(vic.chat, 'status shop');
    vic.mentions(general, 'status shop');
    const delivery = vic.slash(general, '/bosun', 'status shop');
    await settled();
    expect(textsIn(`sl:${vic.chat.id}`)).toEqual([expect.stringContaining('guests')]);
    expect([textsIn(`sl:${general.id}:@${vic.id}`), intake.nameOf(vic.id)]).toEqual([[], null]);
    expect(delivery.answer).toMatchObject({ text: expect.stringContaining('guests') });
  });

  it('accepts a guest when the owner allows guests', async () => {
    const { slack, posted } = await given({ wanted: { allowGuests: true } });
    const vic = slack.person('U04VIC', 'Vic', { isUltraRestricted: true });
    vic.says(vic.chat, 'status shop');
    expect((await posted(`sl:${vic.chat.id}`))[0]).toContain('shop: idle');
  });

  it('ignores members of other companies and everyone in a channel shared with one', async () => {
    const { slack, ada, settled, textsIn, runtime } = await given();
    const vic = slack.person('U04VIC', 'Vic', { teamId: 'T0OTHER' });
    const shared = slack.channel('partners', [ada, vic], { isExtShared: true });
    vic.says(vic.chat, 'status shop');
    ada.mentions(shared, 'status shop');
    const delivery = ada.slash(shared, '/bosun', 'status shop');
    await settled();
    expect(textsIn(`sl:${vic.chat.id}`)).toEqual([expect.stringContaining('other workspaces')]);
    expect(textsIn(`sl:${shared.id}:@${ada.id}`)).toEqual([expect.stringContaining('shared with other companies')]);
    expect(delivery.answer).toMatchObject({ text: expect.stringContaining('shared with other companies') });
    expect(runtime.store.messages(`sl:${shared.id}`, null, 9)).toEqual([]);
  });

  it('accepts members in a shared channel when the owner allows shared channels', async () => {
    const { slack, ada, settled, textsIn } = await given({ wanted: { allowSharedChannels: true } });
    const shared = slack.channel('partners', [ada], { isExtShared: true });
    ada.slash(shared, '/bosun', 'status shop');
    await settled();
    expect(textsIn(`sl:${shared.id}:@${ada.id}`)[0]).toContain('shop: idle');
  });

  it('ignores bots, its own messages and events of another workspace', async () => {
    const { slack, general, settled, runtime, log } = await given();
    const ci = slack.person('U08CI', 'ci', { isBot: true });
    general.members.add(ci.id);
    ci.mentions(general, 'status shop');
    const said = { type: 'message', channel: general.id, text: `<@${slack.bot.id}> status shop` };
    slack.tell({ ...said, user: 'U02ADA', bot_id: 'B1', ts: slack.world.nextTs() });
    slack.tell({ ...said, subtype: 'bot_message', bot_id: 'B1', ts: slack.world.nextTs() });
    slack.tell({ ...said, user: slack.bot.id, ts: slack.world.nextTs() });
    const other = { team_id: 'T0OTHER', authorizations: [{ team_id: 'T0OTHER' }] };
    for (let times = 0; times < 3; times += 1) {
      slack.tell({ ...said, user: 'U02ADA', ts: slack.world.nextTs() }, other);
    }
    await settled();
    expect(runtime.store.message('m1')).toBeNull();
    expect(log.filter((line) => line.includes('T0OTHER'))).toHaveLength(1);
  });

  it('leaves an event unacknowledged for redelivery while the sender cannot be looked up', async () => {
    const { slack, ada, posted } = await given({ patience: { retriesAfterMs: [50, 50, 50] } });
    slack.plant({ method: 'users.info', fault: faults.status(500) });
    const { deliveries } = ada.says(ada.chat, 'status shop');
    expect(await posted(`sl:${ada.chat.id}`)).toHaveLength(1);
    expect(deliveries[0]?.attempts.length).toBe(2);
  });
});

describe('a user group', () => {
  const config = (folder: string) => {
    const usual = usualConfig(folder);
    return { ...usual, people: { ...usual.people, crew: { slack_group: 'S01CREW' } } };
  };

  it('gives its members the role of the group, and follows membership changes', async () => {
    const { slack, posted, settled } = await given({ config, listens: false }).then(async (ears) => {
      ears.slack.userGroup('S01CREW', 'crew', [ears.slack.person('U09EVE', 'Eve')]);
      ears.intake.start();
      return ears;
    });
    const eve = slack.person('U09EVE', 'Eve');
    await slack.until('it listens', () => slack.sockets.open.length === 1);
    eve.says(eve.chat, 'whoami');
    expect((await posted(`sl:${eve.chat.id}`))[0]).toContain('shop: reviewer');
    const mallory = slack.person('U09MAL', 'Mallory');
    mallory.says(mallory.chat, 'whoami');
    expect((await posted(`sl:${mallory.chat.id}`))[0]).toMatch(codePattern);
    slack.userGroup('S01CREW', 'crew', [mallory]);
    slack.tell({ type: 'subteam_members_changed', subteam_id: 'S01CREW', team_id: slack.team.id });
    await slack.until('it is asked again', () => slack.ledger.calls('usergroups.users.list').length > 1);
    await settled();
    mallory.says(mallory.chat, 'whoami');
    expect((await posted(`sl:${mallory.chat.id}`, 2))[1]).toContain('shop: reviewer');
  });
});
