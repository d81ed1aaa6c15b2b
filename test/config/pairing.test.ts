import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/file/read-config.js';
import { approveKnock, invite, knock, knocks } from '../../src/config/people/pairing.js';
import { openHome } from '../open-home.js';
import { newHome } from './given.js';

const hourMs = 60 * 60_000;
const eve = { channel: 'telegram', id: 5_000, name: 'Eve' } as const;
const mallory = { channel: 'telegram', id: 6_000, name: 'Mallory' } as const;

describe('an invite code', () => {
  it('queues the stranger who sends it under that code, without letting them in', () => {
    const home = newHome();
    const { code, until } = invite(home, 'telegram', 0);
    expect([until, knocks(home, 1)]).toEqual([hourMs, []]);
    expect(knock(home, { ...eve, code: code.toLowerCase() }, 1)).toEqual({ code, isLast: false, isInvited: true });
    expect(knocks(home, 2)).toEqual([{ ...eve, code, at: 1 }]);
    expect(loadConfig(home, {}).people).toEqual([]);
    expect(approveKnock(home, {}, { code, person: 'ada' }, 3)).toMatchObject({ person: 'ada', id: 5_000 });
    expect(loadConfig(home, {}).people).toMatchObject([{ name: 'ada', accounts: { telegram: 5_000 } }]);
  });

  it('works for the first sender only', () => {
    const home = newHome();
    const { code } = invite(home, 'telegram', 0);
    knock(home, { ...eve, code }, 1);
    const late = knock(home, { ...mallory, code }, 2);
    expect(late).toMatchObject({ isInvited: false });
    expect(late?.code).not.toBe(code);
    expect(knocks(home, 3).find((one) => one.code === code)).toMatchObject(eve);
  });

  it('is valid for an hour and on its own platform only', () => {
    const home = newHome();
    const { code } = invite(home, 'telegram', 0);
    expect(knock(home, { channel: 'slack', id: 'U01EVE', name: 'Eve', code }, 1)).toMatchObject({ isInvited: false });
    expect(knock(home, { ...eve, code }, hourMs)).toMatchObject({ isInvited: false });
  });

  it('is accepted from a silenced stranger and while three others wait', () => {
    const home = newHome();
    const { code } = invite(home, 'telegram', 0);
    for (let times = 0; times < 3; times += 1) knock(home, eve, 1);
    for (const id of [1, 2]) knock(home, { ...mallory, id }, 1);
    expect([knock(home, { ...eve, code: 'AAAA-AAAA' }, 2), knock(home, { ...mallory, id: 3 }, 2)]).toEqual([
      null,
      null,
    ]);
    expect(knock(home, { ...eve, code }, 3)).toMatchObject({ code, isInvited: true });
    expect(knocks(home, 4).filter(({ id }) => id === eve.id)).toEqual([{ ...eve, code, at: 3 }]);
  });

  it('that is wrong counts as an ordinary message', () => {
    const home = newHome();
    invite(home, 'telegram', 0);
    const answers = [1, 2, 3].map((at) => knock(home, { ...eve, code: `WRNG-222${at}` }, at));
    expect(answers.map((one) => one?.isInvited ?? null)).toEqual([false, false, null]);
  });

  it('becomes invalid when three newer ones exist', () => {
    const home = newHome();
    const codes = [0, 1, 2, 3].map((at) => invite(home, 'telegram', at).code);
    expect(knock(home, { ...eve, code: codes[0] }, 5)).toMatchObject({ isInvited: false });
    expect(knock(home, { ...mallory, code: codes[1] }, 5)).toMatchObject({ isInvited: true });
  });
});

describe('pairing.json', () => {
  it('of an earlier Bosun can be read', () => {
    const home = newHome();
    const before = {
      pending: [{ code: 'ABCD-2345', telegram: 5_000, name: 'Eve', at: 1 }],
      strangers: [{ telegram: 5_000, replies: 2, at: 1 }],
    };
    writeFileSync(join(home.dir, 'pairing.json'), JSON.stringify(before), { mode: 0o600 });
    expect(knocks(home, 2)).toEqual([{ ...eve, code: 'ABCD-2345', at: 1 }]);
    expect(knock(home, eve, 2)).toBeNull();
    expect(approveKnock(home, {}, { code: 'abcd2345' }, 3)).toMatchObject({ person: 'eve' });
  });

  it('keeps Slack ids apart from Telegram ids', () => {
    const home = newHome();
    const ada = { channel: 'slack', id: 'U01ADA', name: 'Ada' } as const;
    const { code = '' } = knock(home, ada, 1) ?? {};
    expect(approveKnock(home, {}, { code, person: 'ada' }, 2)).toEqual({ ...ada, person: 'ada' });
    expect(loadConfig(home, {}).people).toMatchObject([{ name: 'ada', accounts: { slack: 'U01ADA' } }]);
    expect(readFileSync(openHome(home.dir).configPath, 'utf8')).toContain('slack: U01ADA');
  });

  it('keeps at most twenty waiting people', () => {
    const home = newHome();
    for (let times = 0; times < 40; times += 1) {
      const { code } = invite(home, 'telegram', times);
      knock(home, { ...mallory, id: 10_000 + times, code }, times);
    }
    expect(knocks(home, 50)).toHaveLength(20);
  });
});
