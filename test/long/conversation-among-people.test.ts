// The whole of the conversation, which takes minutes for the pace that platforms allow: in a topic of Telegram and in a
// thread of Slack, among people.
import { expect, it } from 'vitest';
import { unlike } from '../e2e/conversations/history.js';
import { amongPeople, onSlack, onTelegram, onTerminal } from '../e2e/conversations/played.js';
import { conversation, firstRun } from '../e2e/conversations/script.js';

const limitMs = 300_000;

it.concurrent(
  'a conversation of two people has the same history and texts on terminal, Telegram and Slack',
  async () => {
    // What a group may be sent in a minute would make the whole of it long.
    const wanted = { turns: firstRun, cast: amongPeople };
    const all = await Promise.all([onTerminal, onTelegram, onSlack].map((on) => on(wanted)));
    expect(unlike(all.map(({ history }) => history))).toBe('');
    expect(unlike(all.map(({ read }) => read))).toBe('');
  },
  limitMs,
);

it.concurrent(
  'a whole conversation in a Slack thread has the same history and texts as on the terminal',
  async () => {
    const wanted = { turns: conversation, cast: amongPeople };
    const all = await Promise.all([onTerminal, onSlack].map((on) => on(wanted)));
    expect(unlike(all.map(({ history }) => history))).toBe('');
    expect(unlike(all.map(({ read }) => read))).toBe('');
  },
  limitMs,
);
