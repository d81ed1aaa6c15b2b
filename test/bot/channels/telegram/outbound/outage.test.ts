// Three projects at work in three kinds of chats, and a platform that is away for ten minutes in between.
import { describe, expect, it } from 'vitest';
import { type Fault, faults, platformRates, type Shown } from '../server/index.js';
import { type Delivered, delivered } from './given.js';

const secondMs = 1_000;
const outage = { fromS: 120, toS: 720 };
const endS = 900;

/** A run tells how it stands, asks now and then, and comes to an end now and then. */
function work({ say }: Delivered, thread: string, name: string) {
  const said: { questions: string[]; finals: string[]; progress: string } = { questions: [], finals: [], progress: '' };
  let run = 0;
  return {
    said,
    at(second: number) {
      if (second % 5 === 0) {
        said.progress = `${name} r${run} at ${second} s`;
        say(thread, said.progress, { card: `${name}-r${run}`, kind: 'progress' });
      }
      if (second % 40 === 11) {
        const text = `${name} asks at ${second} s`;
        said.questions.push(text);
        say(thread, text, { card: text, interaction: `i${second}`, kind: 'question', rings: true });
      }
      if (second % 90 === 17) {
        const text = `${name} done at ${second} s`;
        said.finals.push(text);
        say(thread, text, { rings: true });
        run += 1;
      }
    },
  };
}

async function worked(fault: Fault) {
  const given = await delivered({ rates: platformRates });
  const { telegram, pass } = given;
  const ada = telegram.person(7, 'Ada');
  const team = telegram.group(-5, 'Team');
  const forum = telegram.forum(-100, 'Work');
  const topic = telegram.topic(forum, 'shop', ada);
  const projects = [
    { chat: ada.chat, ...work(given, 'tg:7', 'shop') },
    { chat: team, ...work(given, 'tg:-5', 'blog') },
    { chat: forum, ...work(given, `tg:-100:${topic.id}`, 'bank') },
  ];
  for (let second = 1; second <= endS; second += 1) {
    if (second === outage.fromS) telegram.plant({ method: '*', fault, times: 1_000_000 });
    if (second === outage.toS) telegram.clearFaults();
    for (const project of projects) project.at(second);
    await pass(secondMs);
  }
  await pass(300 * secondMs);
  return { ...given, projects };
}

const bare = ({ text }: Shown) => text.replace('\n(perhaps a repeat)', '');

describe('a ten-minute Telegram outage with three active projects', () => {
  it.each<readonly [what: string, fault: Fault, mostRepeats: number]>([
    ['breaks every connection', { type: 'reset', at: 'request' }, 3],
    ['is one of its gateway', faults.badGateway, 3],
    ['is a refusal for as long', faults.flood(610), 0],
  ])('that %s loses no message, posts none twice and keeps their order', async (_what, fault, mostRepeats) => {
    const { telegram, projects, store, failed, errors } = await worked(fault);
    let repeats = 0;
    for (const { chat, said } of projects) {
      const shown = telegram.screen(chat).filter(({ by }) => by === 'Bosun');
      const ringing = shown.filter(({ rang }) => rang).map(bare);
      const due = [...said.questions, ...said.finals].sort((one, other) => secondOf(one) - secondOf(other));
      expect(ringing).toEqual(due);
      expect([said.questions.length, said.finals.length]).toEqual([23, 10]);
      const progress = shown.filter(({ rang }) => !rang).map(bare);
      expect(progress.at(-1)).toBe(said.progress);
      expect(new Set(progress.map((text) => text.split(' at ')[0])).size).toBe(progress.length);
      repeats += shown.filter(({ text }) => text.endsWith('(perhaps a repeat)')).length;
    }
    expect(repeats).toBeLessThanOrEqual(mostRepeats);
    expect([failed, errors, store.deliveries.open('telegram', 0, 10)]).toEqual([[], [], []]);
    expect(telegram.ledger.violations).toEqual([]);
    expect(telegram.ledger.mostWithin(1_000, 7)).toBeLessThanOrEqual(1);
    expect(telegram.ledger.mostWithin(60_000, -5)).toBeLessThanOrEqual(20);
    expect(telegram.ledger.mostWithin(60_000, -100)).toBeLessThanOrEqual(20);
    expect(telegram.ledger.mostWithin(1_000)).toBeLessThanOrEqual(30);
    if (fault.type !== 'flood') expect(telegram.ledger.calls().filter(({ came }) => came === 429)).toEqual([]);
  });

  it('150 busy chats stay within the global rate limit, even without an outage', async () => {
    const given = await delivered({ rates: platformRates });
    const chats = Array.from({ length: 150 }, (_, index) => index + 1);
    for (const chat of chats) given.telegram.person(chat, `P${chat}`);
    for (let round = 0; round < 4; round += 1) {
      for (const chat of chats) given.say(`tg:${chat}`, `round ${round}`, { rings: true });
    }
    await given.pass(120_000);
    for (const chat of chats) expect(given.texts(chat)).toEqual(['round 0', 'round 1', 'round 2', 'round 3']);
    expect(given.telegram.ledger.mostWithin(1_000)).toBeLessThanOrEqual(30);
    expect(given.telegram.ledger.calls().filter(({ came }) => came !== 'ok')).toEqual([]);
  });
});

function secondOf(text: string): number {
  return Number(/at (\d+) s/.exec(text)?.[1]);
}
