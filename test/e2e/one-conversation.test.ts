// One conversation from one file, on the terminal, on Telegram and on Slack: it ends in the same history, and people
// read the same.
import { expect, it } from 'vitest';
import { experimentSize } from '../size.js';
import { unlike } from './conversations/history.js';
import { alone, amongPeople, onSlack, onSlackByHttp, onTelegram, onTerminal } from './conversations/played.js';
import { conversation, firstRun } from './conversations/script.js';

/** The whole of it takes a minute, for the pace that platforms allow. */
const turns = experimentSize === 1 ? firstRun : conversation;

const limitMs = 100_000;

it.concurrent(
  'a conversation has the same history and texts on the terminal, Telegram and Slack',
  async () => {
    const wanted = { turns, cast: alone };
    const all = await Promise.all([onTerminal, onTelegram, onSlack].map((on) => on(wanted)));
    expect(unlike(all.map(({ history }) => history))).toBe('');
    expect(unlike(all.map(({ read }) => read))).toBe('');
  },
  limitMs,
);

it.concurrent(
  'a conversation has the same history and texts on the terminal and on Slack over HTTP',
  async () => {
    const wanted = { turns: firstRun, cast: amongPeople };
    const all = await Promise.all([onTerminal, onSlackByHttp].map((on) => on(wanted)));
    expect(unlike(all.map(({ history }) => history))).toBe('');
    expect(unlike(all.map(({ read }) => read))).toBe('');
  },
  limitMs,
);
