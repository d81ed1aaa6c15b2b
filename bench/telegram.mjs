// From an update that is handed over to Bosun's first call about it: the sign on the message, or the answer where that
// comes first. With one chat and with a hundred whose cards change all the time, before the tests' own Bot API server,
// which refuses whatever is faster than the platform allows.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { codingAgents } from '../dist/agents/index.js';
import { Channels, channelKinds } from '../dist/bot/index.js';
import { openApp } from '../dist/cli/app.js';
import { openOwnHome } from '../dist/cli/command-context.js';
import { emptyPlan } from '../dist/dispatch/index.js';

const limitMs = 30_000;
const firstId = 2_000;
/** Nobody is heard more than twenty times a minute. */
const onePersonEveryMs = 3_100;
const clock = {
  now: () => performance.timeOrigin + performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

export async function measureTelegram(updates = 200) {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-telegram-'));
  try {
    const server = await testServer(folder);
    const few = Math.ceil(updates / 5);
    const rows = [
      ...(await measured(server, folder, { what: 'one busy chat', chats: 1, updates: few })),
      ...(await measured(server, folder, { what: 'a hundred busy chats', chats: 100, updates })),
    ];
    return { title: 'From an update handed over to the first call about it', rows };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** It is TypeScript. */
async function testServer(folder) {
  const outfile = join(folder, 'server.mjs');
  const entry = fileURLToPath(new URL('../test/bot/channels/telegram/server/index.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'warning' });
  return import(pathToFileURL(outfile).href);
}

async function measured({ startTelegram, platformRates }, folder, { what, chats, updates }) {
  const telegram = await startTelegram({ clock, rates: platformRates });
  const phones = Array.from({ length: chats }, (_, index) => telegram.person(firstId + index, `p${index}`));
  const app = await openApp({ home: givenHome(join(folder, `${chats}`), telegram, chats), work: false });
  const channels = new Channels(app, channelKinds, () => undefined);
  await channels.align();
  let turn = 0;
  const busy = setInterval(
    () => {
      turn += 1;
      void app.runtime.submit(() => ({ ...emptyPlan, messages: [cardOf(firstId + (turn % chats), turn)] }));
    },
    chats === 1 ? 200 : 1_000 / chats,
  );
  await passing(3_000);
  const waits = { task: [], question: [] };
  for (let at = 0; at < updates; at += 1) {
    const kind = at % 2 === 0 ? 'task' : 'question';
    const phone = phones[(at * 37) % chats];
    waits[kind].push(await acknowledged(telegram, phone, kind === 'task' ? `shop: task ${at}` : 'status shop'));
    await passing(chats === 1 ? onePersonEveryMs + (at % 7) * 100 : 150);
  }
  clearInterval(busy);
  await channels.close();
  await app.close();
  const { ledger } = telegram;
  // The sign on a message is no message, and is not counted as one.
  const messages = phones.map(({ chat }) => ledger.spent(chat.id).filter(({ method }) => /^(send|edit)/.test(method)));
  const load = {
    'messages in a second, at most': mostWithin(messages.flat(), 1_000),
    'in one chat': Math.max(...messages.map((calls) => mostWithin(calls, 1_000))),
    refused: ledger.calls().filter(({ came }) => came === 429).length,
  };
  await telegram.stop();
  return [
    { what: `${what}, something to do (👀)`, ...percentiles(waits.task), ...load },
    { what: `${what}, something to tell (the answer)`, ...percentiles(waits.question), ...load },
  ];
}

/** Milliseconds; a poll waits when it is said, so that it is handed over at that moment. */
async function acknowledged(telegram, phone, text) {
  await telegram.until('it listens', () => telegram.updates.isPolled, limitMs);
  const { ledger } = telegram;
  const before = ledger.calls().length;
  const handedAt = clock.now();
  const said = phone.says(phone.chat, text);
  const isAbout = ({ method, values, chat }) =>
    chat === phone.chat.id &&
    ((method === 'setMessageReaction' && Number(values.message_id) === said.message.id) ||
      (method === 'sendMessage' && !String(values.text).includes('card at')));
  let first;
  const isThere = () => {
    first ??= ledger.calls().slice(before).find(isAbout);
    return first !== undefined;
  };
  await telegram.until(`a call about "${text}"`, isThere, limitMs);
  return first.at - handedAt;
}

function givenHome(folder, telegram, chats) {
  const root = join(folder, 'shop');
  mkdirSync(root, { recursive: true });
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: root });
  const named = (value) => Object.fromEntries(Array.from({ length: chats }, (_, index) => [`p${index}`, value(index)]));
  const home = openOwnHome(join(folder, 'home'), codingAgents);
  const config = {
    executors: { agent: { kind: 'command', run: ['false'] } },
    projects: { shop: { root, members: named(() => 'operator') } },
    people: named((index) => ({ telegram: firstId + index })),
    channels: { telegram: { token: telegram.token, api_root: telegram.apiRoot } },
  };
  writeFileSync(home.configPath, JSON.stringify(config), { mode: 0o600 });
  return home;
}

function cardOf(chat, turn) {
  const view = { kind: 'progress', text: `card at ${turn}`, buttons: [], offers: [], rings: false, file: null };
  return { thread: `tg:${chat}`, run: null, interaction: null, card: `card${chat}`, at: Date.now(), view };
}

function mostWithin(calls, ms) {
  const times = calls.map(({ at }) => at).sort((one, other) => one - other);
  let [most, from] = [0, 0];
  times.forEach((at, index) => {
    while (at - times[from] >= ms) from += 1;
    most = Math.max(most, index - from + 1);
  });
  return most;
}

function percentiles(waits) {
  const sorted = waits.sort((one, other) => one - other);
  const at = (part) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(0);
  return { updates: sorted.length, 'p50 ms': at(0.5), 'p99 ms': at(0.99) };
}

function passing(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
