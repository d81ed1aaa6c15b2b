// Which threads hear of a run: those in which somebody spoke of it, and where its project lives.

import { describe, expect, it } from 'vitest';
import { channelKinds } from '../../src/bot/channels/registry.js';
import { directThread } from '../../src/bot/channels/slack/thread-ids.js';
import type { Config, PersonConfig, ProjectConfig } from '../../src/config/config.js';
import {
  boundThreads,
  followersOf,
  ownersThreads,
  privateThreads,
  threadBeside,
} from '../../src/dispatch/people/subscribers.js';
import { laneOf } from '../../src/store/index.js';
import { placedThread } from '../open-store.js';

const chats = [
  { channel: 'telegram', chat: -1001234, topic: 7 },
  { channel: 'telegram', chat: -1005, topic: 1 },
  { channel: 'slack', chat: 'C01GEN', topic: null },
];
const config = (channels: object, projectChats: readonly object[] = chats) =>
  ({
    projects: [{ name: 'shop', aliases: [], chats: projectChats }],
    channelKinds,
    channels: { telegram: null, slack: null, ...channels },
  }) as unknown as Config;

describe('the threads bound to a project', () => {
  it('include a chat only if its channel is connected', () => {
    expect(boundThreads(config({}), 'shop')).toEqual([]);
    expect(boundThreads(config({ telegram: {} }), 'shop')).toEqual(['tg:-1001234:7', 'tg:-1005']);
    expect(boundThreads(config({ slack: {} }), 'shop')).toEqual(['sl:C01GEN']);
  });
});

describe('a run in a Slack channel', () => {
  const bound = config({ telegram: {}, slack: {} }, chats.slice(1));
  const r12 = { id: 'r12', project: 'shop' };

  it('gets a thread that Bosun opens if it was never mentioned in one', () => {
    expect(followersOf(bound, r12, ['local'])).toEqual(['local', 'tg:-1005', 'sl:C01GEN:r12']);
  });

  it('stays in the thread in which it was mentioned', () => {
    const spoken = ['sl:C01GEN:1700000000.000100'];
    expect(followersOf(bound, r12, spoken)).toEqual([...spoken, 'tg:-1005']);
  });

  it('is posted once per followed thread, and once per bound channel', () => {
    const others = ['sl:C02OPS:1700000000.000100', 'tg:-1005'];
    expect(followersOf(bound, r12, others)).toEqual([...others, 'sl:C01GEN:r12']);
  });

  it('finds its thread only within the same channel', () => {
    const others = ['local', 'tg:-1005', 'sl:C02OPS:1.1', 'sl:C01GEN:r12'];
    expect(threadBeside(channelKinds, 'sl:C01GEN:2.2', others)).toBe('sl:C01GEN:r12');
    expect(threadBeside(channelKinds, 'sl:C03:2.2', others)).toBeNull();
    expect(threadBeside(channelKinds, 'tg:-1005:9', others)).toBeNull();
  });
});

describe('a Slack thread id', () => {
  it.each([
    ['sl:C01GEN', { chat: 'C01GEN' }],
    ['sl:C01GEN:1700000000.000100', { chat: 'C01GEN', ts: '1700000000.000100' }],
    ['sl:C01GEN:r12', { chat: 'C01GEN', opened: 'r12' }],
    ['sl:C01GEN:c0123abcd', { chat: 'C01GEN', opened: 'c0123abcd' }],
    ['sl:C01GEN:@U01ADA', { chat: 'C01GEN', only: 'U01ADA' }],
  ])('resolves to an address and the channel’s lane: %s', (id, address) => {
    const placed = placedThread(id);
    expect(placed).toMatchObject({ channel: 'slack', address });
    expect(placed && laneOf(placed)).toBe('C01GEN');
  });

  it.each(['sl:', 'sl:c01', 'sl:C01:', 'sl:C01:x', 'sl:C01:r', 'sl:C01:1', 'sl:C01:1.2:3', 'sl:C01:@'])(
    'is rejected if malformed: %s',
    (id) => expect(placedThread(id)).toBeNull(),
  );
});

describe('private threads', () => {
  it('exist for each platform on which a person has an id', () => {
    const threadsOf = (accounts: PersonConfig['accounts'], prefers: string | null = null) =>
      privateThreads(channelKinds, { accounts, prefers }).map(({ thread }) => thread);
    expect(threadsOf({ telegram: 1000, slack: 'U01ADA' })).toEqual(['tg:1000', 'sl:U01ADA']);
    expect(threadsOf({ telegram: 1000, slack: 'U01ADA' }, 'slack')).toEqual(['sl:U01ADA', 'tg:1000']);
    expect(threadsOf({})).toEqual([]);
  });

  it('of the owners include the host’s terminal', () => {
    const people = [
      { name: 'ada', accounts: { telegram: 1000, slack: 'U01ADA' }, group: null, prefers: null },
      { name: 'bob', accounts: { telegram: 1001 }, group: null, prefers: null },
    ];
    const project = { members: { ada: 'owner', bob: 'operator' } } as unknown as ProjectConfig;
    expect(ownersThreads({ people, channelKinds }, project)).toEqual(['local', 'tg:1000', 'sl:U01ADA']);
  });
});

it('keeps the first known thread id for the direct chat of the bot with one person', () => {
  const rows = (known: readonly string[], moved: readonly (readonly [string, string])[] = []) => ({
    reader: { thread: (id: string) => (known.includes(id) ? placedThread(id) : null) },
    deliveries: { moves: () => new Map(moved) },
  });
  const cases = [
    [rows([]), null, 'sl:U01ADA'],
    [rows([]), 'D01', 'sl:D01'],
    [rows([], [['U01ADA', 'D01']]), null, 'sl:D01'],
    [rows(['sl:U01ADA'], [['U01ADA', 'D01']]), null, 'sl:U01ADA'],
    [rows(['sl:U01ADA']), 'D01', 'sl:U01ADA'],
    [rows(['sl:U01ADA', 'sl:D01']), 'D01', 'sl:D01'],
  ] as const;
  for (const [known, channel, thread] of cases) expect(directThread(known, 'U01ADA', channel)).toBe(thread);
});
