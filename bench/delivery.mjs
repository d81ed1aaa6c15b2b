// From a committed message to its first call at a chat platform, with one chat and with a hundred whose cards change all
// the time, at the platform's own limits. The platform is a server on this machine that answers at once.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineClock } from '../dist/base/index.js';
import { sendingApi } from '../dist/bot/channels/telegram/client.js';
import { telegramCarrier } from '../dist/bot/channels/telegram/outbound/carrier.js';
import { Courier } from '../dist/bot/delivery/index.js';
import { channelKinds } from '../dist/bot/index.js';
import { openStore } from '../dist/store/index.js';

const nothing = {
  events: [],
  states: [],
  ...{ snapshots: [], jobs: [], cancels: [], extensions: [], threads: [], follows: [], inboxDone: [] },
  ...{ records: [], spent: [], calls: [], wants: [], wantsDone: [], outage: null },
};
const token = '7000000001:AAbench-token_for_a_server_here';

export async function measureDelivery(answers = 60) {
  return {
    title: 'From a committed answer to its call',
    rows: [
      await measured('one chat, nothing else to say', { chats: 1, isBusy: false, answers }),
      await measured('one chat whose card changes every 200 ms', { chats: 1, isBusy: true, answers: answers / 2 }),
      await measured('a hundred chats whose cards change every second', { chats: 100, isBusy: true, answers }),
    ],
  };
}

async function measured(what, { chats, isBusy, answers }) {
  const arrived = new Map();
  const calls = [];
  const platform = await listening((method, body) => {
    calls.push({ at: performance.now(), method, chat: body.chat_id });
    const found = /answer \d+/.exec(body.text ?? '');
    if (found && !arrived.has(found[0])) arrived.set(found[0], performance.now());
  });
  const folder = mkdtempSync(join(tmpdir(), 'bosun-bench-'));
  const store = openStore(join(folder, 'bosun.db'), { threads: channelKinds });
  const courier = new Courier({
    carrier: telegramCarrier(sendingApi({ token, apiRoot: platform.url })),
    rows: store.deliveries,
    clock: machineClock,
    random: Math.random,
    isActive: () => true,
    maxWaiting: 500,
    onFailed: (parcel, why) => console.error(parcel.message, why),
    onError: (error) => console.error(error),
  });
  const say = (chat, text, parts) => {
    const view = { kind: 'report', text, buttons: [], offers: [], rings: false, file: null, ...parts.view };
    const message = {
      thread: `tg:${chat}`,
      run: null,
      interaction: null,
      card: parts.card ?? null,
      at: Date.now(),
      view,
    };
    const [stored] = store.commit({ ...nothing, messages: [message] });
    courier.take([{ message: stored, thread: store.placed(message.thread) }]);
  };
  let turn = 0;
  const everyMs = chats === 1 ? 200 : 1_000 / chats;
  const busy = setInterval(() => {
    if (!isBusy) return;
    turn += 1;
    say((turn % chats) + 1, `card at ${turn}`, { card: `card${turn % chats}`, view: { kind: 'progress' } });
  }, everyMs);
  await passing(isBusy ? 3_000 : 200);
  const waits = [];
  for (let at = 0; at < answers; at += 1) {
    const said = performance.now();
    say(chats === 1 ? 1 : ((at * 37) % chats) + 1, `answer ${at}`, {});
    for (let ms = 0; !arrived.has(`answer ${at}`) && ms < 20_000; ms += 1) await passing(1);
    waits.push((arrived.get(`answer ${at}`) ?? Number.NaN) - said);
    await passing(chats === 1 ? 1_100 + (at % 7) * 200 : 150);
  }
  clearInterval(busy);
  await courier.close();
  store.close();
  await platform.close();
  rmSync(folder, { recursive: true, force: true });
  const sorted = waits.sort((one, other) => one - other);
  const percentile = (part) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(0);
  return {
    what,
    'p50 ms': percentile(0.5),
    'p99 ms': percentile(0.99),
    'most calls in a second': mostWithin(calls, 1_000),
  };
}

function listening(heard) {
  let id = 0;
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      heard(request.url.split('/').at(-1), JSON.parse(Buffer.concat(chunks).toString() || '{}'));
      id += 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ok: true, result: { message_id: id } }));
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({
        url: `http://127.0.0.1:${server.address().port}`,
        close: () => {
          server.closeAllConnections();
          return new Promise((done) => server.close(done));
        },
      }),
    );
  });
}

function mostWithin(calls, ms) {
  let [most, from] = [0, 0];
  calls.forEach(({ at }, index) => {
    while (at - calls[from].at >= ms) from += 1;
    most = Math.max(most, index - from + 1);
  });
  return most;
}

function passing(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
