// Three projects at work in three kinds of places, and a platform that is away for ten minutes in between.
import { describe, expect, it } from 'vitest';
import { faults, type Shown, slackRates } from '../server/index.js';
import { type Delivered, delivered } from './given.js';

const secondMs = 1_000;
const outage = { fromS: 120, toS: 720 };
const endS = 900;

/** A run tells how it stands, asks now and then, and comes to an end now and then. */
function work({ say }: Delivered, threadOf: (run: number) => string, name: string) {
  const said: { ringing: string[]; progress: string } = { ringing: [], progress: '' };
  let run = 1;
  const ring = (text: string, more: object) => {
    said.ringing.push(text);
    say(threadOf(run), text, { rings: true, ...more });
  };
  return {
    said,
    at(second: number) {
      if (second % 5 === 0) {
        said.progress = `${name} r${run} at ${second} s`;
        say(threadOf(run), said.progress, { card: `${name}-r${run}`, kind: 'progress' });
      }
      const asked = `${name} asks at ${second} s`;
      if (second % 40 === 11) ring(asked, { card: asked, interaction: `i${second}`, kind: 'question' });
      if (second % 90 !== 17) return;
      ring(`${name} done at ${second} s`, {});
      run += 1;
    },
  };
}

async function worked(start: (given: Delivered) => void, end: (given: Delivered) => void) {
  const given = await delivered({ rates: slackRates });
  const { slack, ada, gen, pass } = given;
  const team = slack.channel('team', [ada]);
  const { message } = ada.says(team, 'continue blog');
  const projects = [
    { channel: gen, ...work(given, (run) => `sl:C01GEN:r${run}`, 'shop') },
    { channel: team, ...work(given, () => `sl:${team.id}:${message.ts}`, 'blog') },
    { channel: ada.chat, ...work(given, () => 'sl:U01ADA', 'bank') },
  ];
  for (let second = 1; second <= endS; second += 1) {
    if (second === outage.fromS) start(given);
    if (second === outage.toS) end(given);
    for (const project of projects) project.at(second);
    await pass(secondMs);
  }
  await pass(300 * secondMs);
  return { ...given, projects, team, root: message.ts };
}

const bare = ({ text }: Shown) => text;
const isProgress = (text: string) => /^\w+ r\d+ at \d+ s$/.test(text);

describe('a ten-minute Slack outage with three active projects', () => {
  it.each<readonly [what: string, start: (given: Delivered) => void, end: (given: Delivered) => void]>([
    ['breaks every connection', ({ slack }) => slack.goDown(), ({ slack }) => slack.comeUp()],
    [
      'is one of its gateway',
      ({ slack }) => slack.plant({ method: '*', fault: faults.status(503), times: 1_000_000 }),
      ({ slack }) => slack.clearFaults(),
    ],
    [
      'swallows every answer',
      ({ slack }) => slack.plant({ method: '*', fault: faults.lostAnswer, times: 1_000_000 }),
      ({ slack }) => slack.clearFaults(),
    ],
    [
      'is a refusal for as long',
      ({ slack }) => slack.plant({ method: '*', fault: faults.ratelimited(610), times: 1_000_000 }),
      ({ slack }) => slack.clearFaults(),
    ],
  ])('that %s loses no message, posts none twice and keeps their order', async (what, start, end) => {
    const given = await worked(start, end);
    const { slack, projects, store, failed, errors, team, root } = given;
    for (const { channel, said } of projects) {
      const texts = given.shown(channel).map(bare);
      expect(texts.filter((text) => !isProgress(text))).toEqual(said.ringing);
      expect(said.ringing).toHaveLength(33);
      const progress = texts.filter(isProgress);
      expect(progress.at(-1)).toBe(said.progress);
      expect(new Set(progress.map((text) => text.split(' at ')[0])).size).toBe(progress.length);
    }
    expect(new Set(given.shown(team).map(({ threadTs }) => threadTs))).toEqual(new Set([root]));
    // One thread for each of the eleven runs.
    expect(given.shown(given.gen, null)).toHaveLength(11);
    expect([failed, errors, store.deliveries.open('slack', 0, 10)]).toEqual([[], [], []]);
    expect(slack.ledger.violations).toEqual([]);
    for (const { id } of [given.gen, team, given.ada.chat])
      expect(slack.ledger.mostWithin(secondMs, 'chat.postMessage', id)).toBeLessThanOrEqual(1);
    for (const method of ['chat.update', 'conversations.history', 'conversations.replies'])
      expect(slack.ledger.mostWithin(60_000, method)).toBeLessThanOrEqual(50);
    const refused = slack.ledger.calls().filter(({ came }) => came === 'ratelimited');
    if (!what.startsWith('is a refusal')) expect(refused).toEqual([]);
  });
});
