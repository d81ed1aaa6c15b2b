import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../../src/config/file/read-config.js';
import { approveKnock, invite, knock, knocks } from '../../../../../src/config/people/pairing.js';
import { given } from './given.js';

const codePattern = /bosun pair ([A-Z2-9]{4}-[A-Z2-9]{4})/;
const hourMs = 60 * 60_000;

describe('a stranger', () => {
  it('gets only a pairing code, at most twice, and is heard once the host approves it', async () => {
    const { telegram, home, posted, settled, runtime } = await given();
    const eve = telegram.person(5_000, 'Eve');
    for (const text of ['status shop', '/stop all', 'shop: delete everything', 'hello?']) eve.says(eve.chat, text);
    await settled();
    const said = await posted('tg:5000', 2);
    expect(said).toHaveLength(2);
    expect(said.join()).not.toContain('shop');
    const code = codePattern.exec(said[0] ?? '')?.[1] ?? '';
    expect(codePattern.exec(said[1] ?? '')?.[1]).toBe(code);
    expect([runtime.store.runs(null, 10, null), knocks(home, Date.now()).map((one) => one.name)]).toEqual([
      [],
      ['Eve'],
    ]);
    const membership = { project: 'shop', role: 'operator' } as const;
    expect(approveKnock(home, {}, { code: code.toLowerCase(), membership }, Date.now()).person).toBe('eve');
    eve.says(eve.chat, 'whoami');
    expect((await posted('tg:5000', 3))[2]).toContain('shop: operator');
  });

  it("who sends the host's invite code is queued with it and pointed to the host machine", async () => {
    const { telegram, home, posted } = await given();
    const eve = telegram.person(5_000, 'Eve');
    const { code } = invite(home, 'telegram', Date.now());
    eve.says(eve.chat, `/start ${code}`);
    const [said = ''] = await posted('tg:5000');
    expect(said).toContain('on the computer that runs Bosun');
    expect(said).toContain(`bosun pair ${code}`);
    expect(knocks(home, Date.now())).toMatchObject([{ channel: 'telegram', id: 5_000, name: 'Eve', code }]);
    expect(loadConfig(home, {}).people.map(({ name }) => name)).not.toContain('eve');
  });

  it('who was just added to config.yaml is accepted before the file is reloaded', async () => {
    const knocks: string[] = [];
    const ears = await given({
      listens: false,
      parts: {
        config: () => stale,
        freshConfig: () => loadConfig(ears.home, {}),
        knock: ({ name }) => {
          knocks.push(name);
          return null;
        },
      },
    });
    const { telegram, home, posted, settled, intake } = ears;
    const stale = { ...loadConfig(home, {}), people: [] };
    const vic = telegram.person(1002, 'Vic');
    vic.says(vic.chat, 'status shop');
    telegram.person(5_000, 'Eve').says(telegram.person(5_000, 'Eve').chat, 'hi');
    const sent = telegram.world.post({ chat: vic.chat, topic: null, from: telegram.bot, text: 'card' });
    const { press } = vic.pressesData(sent, 'i1-1.start');
    intake.start();
    expect((await posted('tg:1002'))[0]).toContain('shop: idle');
    await settled();
    expect([knocks, press.answer?.text]).toEqual([['Eve'], 'There is nothing to answer.']);
  });

  it('cannot be let in from a chat, not even by an owner', async () => {
    const { telegram, home, ada, posted, settled } = await given();
    const eve = telegram.person(5_000, 'Eve');
    eve.says(eve.chat, 'hi');
    const code = codePattern.exec((await posted('tg:5000'))[0] ?? '')?.[1] ?? '';
    ada.says(ada.chat, `bosun pair ${code}`);
    ada.says(ada.chat, `/pair ${code}`);
    await settled();
    expect(loadConfig(home, {}).people.map(({ name }) => name)).not.toContain('eve');
    expect(knocks(home, Date.now())).toHaveLength(1);
  });

  it('is not answered while three others already wait', async () => {
    const { telegram, home, settled, runtime } = await given();
    const four = [1, 2, 3, 4].map((number) => telegram.person(5_000 + number, `Eve${number}`));
    for (const one of four) one.says(one.chat, 'hi');
    await settled();
    const counts = four.map(({ user }) => runtime.store.messages(`tg:${user.id}`, null, 9).length);
    expect([counts, knocks(home, Date.now()).length]).toEqual([[1, 1, 1, 0], 3]);
  });

  it.each(['group', 'edit'])(
    'gets no answer and no pairing code by a message in a group or an edit: %s',
    async (how) => {
      const { telegram, home, settled, runtime } = await given();
      const eve = telegram.person(5_001, 'Eve');
      if (how === 'group') eve.says(telegram.group(-4_000, 'Team', 'administrator'), '/status shop');
      else {
        const posted = telegram.world.post({ chat: eve.chat, topic: null, from: eve.user, text: 'hi' });
        eve.edits(posted, 'status shop');
      }
      await settled();
      const threads = ['tg:-4000', 'tg:5001'].flatMap((thread) => runtime.store.messages(thread, null, 9));
      expect([threads, knocks(home, Date.now())]).toEqual([[], []]);
    },
  );

  it('in a group gains nothing from the paired chat of a member', async () => {
    const { telegram, home, settled, runtime } = await given();
    const eve = telegram.person(5_000, 'Eve');
    const mallory = telegram.person(5_001, 'Mallory');
    const group = telegram.group(-4_000, 'Team', 'administrator');
    const { code = '' } = knock(home, { channel: 'telegram', id: 5_000, name: 'Eve' }, Date.now()) ?? {};
    approveKnock(home, {}, { code, membership: { project: 'shop', role: 'viewer' } }, Date.now());
    mallory.says(group, '/status shop');
    await settled();
    expect(runtime.store.messages('tg:-4000', null, 9)).toEqual([]);
    eve.says(group, '/status shop');
    await settled();
    expect(runtime.store.messages('tg:-4000', null, 9)).toHaveLength(1);
  });
});

describe('a pairing code', () => {
  const ask = async () => {
    const { home } = await given({ listens: false });
    const asked = knock(home, { channel: 'telegram', id: 5_000, name: 'Ada' }, 0);
    return { home, code: asked?.code ?? '' };
  };

  it('works once, within an hour', async () => {
    const { home, code } = await ask();
    const approve = (at: number) => approveKnock(home, {}, { code, person: 'eve' }, at);
    expect(() => approve(hourMs)).toThrow('No person is waiting with the code');
    expect(approve(hourMs - 1)).toMatchObject({ person: 'eve', channel: 'telegram', id: 5_000 });
    expect(() => approve(hourMs - 1)).toThrow('No person is waiting with the code');
  });

  it('does not let a stranger take over the name of an existing person', async () => {
    const { home, code } = await ask();
    expect(() => approveKnock(home, {}, { code }, 1)).toThrow('A person "ada" already exists');
    expect(loadConfig(home, {}).people.find(({ name }) => name === 'ada')?.accounts['telegram']).toBe(1000);
  });

  it('changes nothing when the project is unknown', async () => {
    const { home, code } = await ask();
    const membership = { project: 'shp', role: 'owner' } as const;
    expect(() => approveKnock(home, {}, { code, person: 'eve', membership }, 1)).toThrow('No project "shp"');
    expect(loadConfig(home, {}).people.map(({ name }) => name)).not.toContain('eve');
  });

  it('is stored in a private file, and a corrupt file is rejected', async () => {
    const { home } = await ask();
    const path = join(home.dir, 'pairing.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8')).pending).toHaveLength(1);
    const { writeFileSync } = await import('node:fs');
    writeFileSync(path, '{"pending": "all"}');
    expect(() => knocks(home, 1)).toThrow('is damaged');
  });

  it('is issued at most twice a day', async () => {
    const { home } = await ask();
    const again = (at: number) => knock(home, { channel: 'telegram', id: 5_000, name: 'Ada' }, at);
    expect(again(2 * hourMs)).toMatchObject({ isLast: true });
    expect(again(4 * hourMs)).toBeNull();
    expect(again(27 * hourMs)).toMatchObject({ isLast: false });
  });
});
