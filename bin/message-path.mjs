// The files of src that one message passes: `continue shop` in Telegram until its agent runs, and from the agent's end
// until the chat shows the result. Counts files with a function that ran, by V8's precise coverage; `npm run house`
// prints the counts, and this file run alone prints the names.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const limitMs = 60_000;

/** Returns the paths below src, sorted. */
export async function messagePath() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-path-')));
  const built = join(root, 'node_modules/.cache/bosun/path');
  // Beside the built files lies what they look for two folders up.
  rmSync(built, { recursive: true, force: true });
  mkdirSync(built, { recursive: true });
  for (const name of ['workflows', 'prompts', 'package.json']) {
    cpSync(join(root, name), join(built, name), { recursive: true });
  }
  await build(join(built, 'dist'));
  try {
    return await measure(folder, join(built, 'dist'));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measure(folder, dist) {
  const load = (path) => import(pathToFileURL(join(dist, path)).href);
  const platform = await startPlatform();
  const shop = join(folder, 'shop');
  mkdirSync(shop);
  const git = (...args) => execFileSync('git', args, { cwd: shop, stdio: 'ignore' });
  git('init', '-q', '-b', 'main', '--template=');
  git('-c', 'user.name=a', '-c', 'user.email=a@b.invalid', 'commit', '-q', '--allow-empty', '-m', 'start');
  const agent = join(folder, 'agent.cjs');
  writeFileSync(agent, agentText(platform.url));
  const { codingAgents } = await load('agents/index.js');
  const { Channels, channelKinds } = await load('bot/index.js');
  const { openOwnHome } = await load('cli/command-context.js');
  const home = openOwnHome(join(folder, 'home'), codingAgents);
  const config = {
    channels: { telegram: { token: platform.token, api_root: platform.url } },
    executors: { agent: { kind: 'command', run: [process.execPath, agent] } },
    people: { ada: { telegram: 1000 } },
    projects: { shop: { root: shop, workflow: 'one-step', level: 'auto', members: { ada: 'owner' } } },
  };
  writeFileSync(home.configPath, JSON.stringify(config), { mode: 0o600 });
  const { openApp } = await load('cli/app.js');
  const app = await openApp({ home, work: true });
  const channels = new Channels(app, channelKinds, () => undefined);
  const session = new Session();
  session.connect();
  const ranFiles = async () => filesIn((await session.post('Profiler.takePreciseCoverage')).result, dist);
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await channels.align();
    platform.say('shop: write a page');
    await platform.called('sendMessage');
    await ranFiles();
    platform.say('continue shop');
    await platform.called('/started');
    const toAgent = await ranFiles();
    platform.release();
    await platform.called('sendMessage');
    if (!(await app.runtime.whenAtRest('shop', limitMs))) throw new Error('shop does not come to rest');
    return { toAgent, toChat: await ranFiles() };
  } finally {
    session.disconnect();
    await channels.close();
    await app.close();
    platform.close();
  }
}

/** A module's own top, which runs when it is loaded, is no step of the message. */
function filesIn(scripts, dist) {
  const base = pathToFileURL(`${dist}/`).href;
  const ran = scripts.filter(({ url, functions }) => {
    const isTop = ({ functionName, ranges }) => functionName === '' && ranges[0].startOffset === 0;
    return url.startsWith(base) && functions.some((one) => !isTop(one) && one.ranges[0].count > 0);
  });
  return [...new Set(ran.map(({ url }) => url.slice(base.length).replace(/\.js$/, '.ts')))].sort();
}

/** Waits between its start and its end until the measurement lets it go on. */
function agentText(url) {
  return `fetch(${JSON.stringify(`${url}/started`)}).then(() => {
  require('node:fs').writeFileSync(process.env.BOSUN_WORKDIR + '/page.txt', 'x');
  console.log('STATUS: pass');
});
`;
}

/** The few calls of Telegram's Bot API that one conversation takes. */
async function startPlatform() {
  const token = '42:path';
  const calls = [];
  const listeners = new Set();
  let [poll, polled, agent, number] = [null, false, null, 0];
  const updates = [];
  const reply = (response, result) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, result }));
  };
  const chat = { id: 1000, type: 'private', first_name: 'Ada' };
  const message = () => {
    number += 1;
    return { message_id: number, date: Math.floor(Date.now() / 1000), chat };
  };
  const offer = () => {
    if (poll === null || updates.length === 0) return;
    reply(poll, updates.splice(0));
    poll = null;
  };
  const note = (name) => {
    calls.push(name);
    for (const listen of [...listeners]) listen();
  };
  const server = createServer((request, response) => {
    const name = request.url.startsWith('/started') ? '/started' : request.url.split('/').at(-1);
    request.resume().on('end', () => {
      if (name === '/started') agent = response;
      else if (name === 'getUpdates' && !polled) {
        // Bosun counts the channel as connected once a poll has returned.
        polled = true;
        reply(response, []);
      } else if (name === 'getUpdates') poll = response;
      else if (name === 'getMe') reply(response, { id: 42, is_bot: true, first_name: 'Bosun', username: 'path_bot' });
      else if (/^(send|edit)Message/.test(name)) reply(response, message());
      else reply(response, true);
      offer();
      note(name);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    token,
    url: `http://127.0.0.1:${server.address().port}`,
    say(text) {
      const from = { id: 1000, is_bot: false, first_name: 'Ada' };
      const said = { ...message(), from, text };
      updates.push({ update_id: number, message: said });
      calls.length = 0;
      offer();
    },
    /** Resolves once this was called after the last message or release. */
    called(name) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`never called: ${name}, only ${calls}`)), limitMs);
        const look = () => {
          if (!calls.includes(name)) return;
          clearTimeout(timer);
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      });
    },
    release() {
      calls.length = 0;
      agent?.end();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { toAgent, toChat } = await messagePath();
  console.log(`from the update to the agent's start: ${toAgent.length} files\n${toAgent.join('\n')}`);
  console.log(`\nfrom the agent's end to the chat: ${toChat.length} files\n${toChat.join('\n')}`);
}
