// From an event that is handed over to Bosun's acknowledgement, and to its first call about it: the sign on the message,
// or the answer where that comes first. With one channel and with a hundred whose cards change all the time, before the
// tests' own Slack, which refuses whatever is faster than the platform allows.
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

// Slack tells again after a minute what could not be taken.
const limitMs = 90_000;
/** Nobody is heard more than twenty times a minute. */
const onePersonEveryMs = 3_100;
/** Messages are named by their time, which is in whole milliseconds. */
const clock = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
  after(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

export async function measureSlack(events = 200) {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-slack-'));
  try {
    const server = await testServer(folder);
    const few = Math.ceil(events / 5);
    const rows = [
      ...(await measured(server, folder, { what: 'one busy channel', channels: 1, events: few })),
      ...(await measured(server, folder, { what: 'a hundred busy channels', channels: 100, events })),
    ];
    return { title: 'From a Slack event to its acknowledgement, and to the first call about it', rows };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** It is TypeScript. */
async function testServer(folder) {
  const outfile = join(folder, 'server.mjs');
  const entry = fileURLToPath(new URL('../test/bot/channels/slack/server/index.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'warning' });
  return import(pathToFileURL(outfile).href);
}

async function measured({ startSlack, slackRates }, folder, { what, channels: count, events }) {
  const slack = await startSlack({ clock, rates: slackRates });
  const places = Array.from({ length: count }, (_, index) => {
    const person = slack.person(`U9${index}`, `p${index}`);
    return { person, channel: slack.channel(`c${index}`, [person]) };
  });
  const app = await openApp({ home: givenHome(join(folder, `${count}`), slack, count), work: false });
  const platforms = new Channels(app, channelKinds, () => undefined);
  await platforms.align();
  let turn = 0;
  const busy = setInterval(
    () => {
      turn += 1;
      const { channel } = places[turn % count];
      void app.runtime.submit(() => ({ events: [], messages: [cardOf(channel.id, turn)] }));
    },
    count === 1 ? 200 : 1_000 / count,
  );
  await passing(3_000);
  const waits = { task: [], question: [] };
  for (let at = 0; at < events; at += 1) {
    const kind = at % 2 === 0 ? 'task' : 'question';
    const place = places[(at * 37) % count];
    waits[kind].push(await acknowledged(slack, place, kind === 'task' ? `shop: task ${at}` : 'whoami'));
    await passing(count === 1 ? onePersonEveryMs + (at % 7) * 100 : 150);
  }
  clearInterval(busy);
  await platforms.close();
  await app.close();
  const { ledger } = slack;
  const load = {
    'posts in a second in one channel, at most': Math.max(
      ...places.map(({ channel }) => ledger.mostWithin(1_000, 'chat.postMessage', channel.id)),
    ),
    'edits in a minute': ledger.mostWithin(60_000, 'chat.update'),
    refused:
      ledger
        .calls()
        .filter(({ came }) => came === 'ratelimited')
        .map(({ method }) => method)
        .join(' ') || 'none',
  };
  await slack.close();
  return [
    { what: `${what}, something to do (👀)`, ...percentiles(waits.task), ...load },
    { what: `${what}, something to tell (the answer)`, ...percentiles(waits.question), ...load },
  ];
}

/** Milliseconds. Of one message there are two events; the first one that is acknowledged counts. */
async function acknowledged(slack, { person, channel }, text) {
  const { ledger } = slack;
  const before = ledger.calls().length;
  const handedAt = clock.now();
  const { message, deliveries } = person.mentions(channel, text);
  const isAbout = ({ method, channel: place, values }) =>
    place === channel.id &&
    ((method === 'reactions.add' && values.timestamp === message.ts) ||
      (method.startsWith('chat.post') && values.thread_ts === message.ts));
  let first;
  const isThere = () => {
    first ??= ledger.calls().slice(before).find(isAbout);
    return first !== undefined && deliveries.every(({ ackedAt }) => ackedAt !== null);
  };
  await slack.until(`a call about "${text}"`, isThere, limitMs);
  const ackedAt = Math.max(...deliveries.map(({ ackedAt }) => ackedAt));
  return { ack: ackedAt - handedAt, call: first.at - handedAt };
}

function givenHome(folder, slack, count) {
  const root = join(folder, 'shop');
  mkdirSync(root, { recursive: true });
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: root });
  const named = (value) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, value(index)]));
  const home = openOwnHome(join(folder, 'home'), codingAgents);
  const config = {
    executors: { agent: { kind: 'command', run: ['false'] } },
    projects: { shop: { root, members: named(() => 'operator') } },
    people: named((index) => ({ slack: `U9${index}` })),
    channels: { slack: { bot_token: slack.tokens.bot, app_token: slack.tokens.app, api_url: slack.apiUrl } },
  };
  writeFileSync(home.configPath, JSON.stringify(config), { mode: 0o600 });
  return home;
}

function cardOf(channel, turn) {
  const view = { kind: 'progress', text: `card at ${turn}`, buttons: [], offers: [], rings: false, file: null };
  return { thread: `sl:${channel}`, run: null, interaction: null, card: `card${channel}`, at: Date.now(), view };
}

function percentiles(waits) {
  const of = (name, part) => {
    const sorted = waits.map((one) => one[name]).sort((one, other) => one - other);
    return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(0);
  };
  return {
    events: waits.length,
    ...{ 'ack p50 ms': of('ack', 0.5), 'ack p99 ms': of('ack', 0.99) },
    ...{ 'call p50 ms': of('call', 0.5), 'call p99 ms': of('call', 0.99) },
  };
}

function passing(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
