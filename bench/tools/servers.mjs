// A Redis and a PostgreSQL of the benchmark's own, on free ports of 127.0.0.1, in a folder that goes with them. Null where
// the machine has no such program; apt-get install redis-server postgresql.
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

const readyWithinMs = 20_000;

/** `fsync`: 'always' keeps what SQLite with synchronous FULL keeps; 'everysec' may lose a second. */
export async function startRedis(folder, fsync) {
  if (!has('redis-server')) return null;
  const port = await freePort();
  const options = { bind: '127.0.0.1', port, dir: folder, save: '', appendonly: 'yes', appendfsync: fsync };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  await untilOpen(port, child);
  return { url: `redis://127.0.0.1:${port}`, settings: `appendfsync ${fsync}`, stop: () => ended(child, 'SIGTERM') };
}

export async function startPostgres(folder) {
  const programs = postgresPrograms();
  if (programs === null) return null;
  const port = await freePort();
  const data = join(folder, 'pg');
  mkdirSync(data);
  // PostgreSQL refuses to run as root.
  const user = process.getuid() === 0 ? postgresUser() : {};
  if (user.uid !== undefined) for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  const quiet = { stdio: 'ignore', cwd: data, ...user };
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'bench', '--auth=trust', '--no-locale', '-E', 'UTF8'],
    quiet,
  );
  const settings = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
  const options = {
    ...settings,
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    shared_buffers: '256MB',
  };
  const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(programs, 'postgres'), ['-D', data, ...args], quiet);
  await untilOpen(port, child);
  const sql = (text, database = 'postgres') =>
    execFileSync('psql', ['-h', '127.0.0.1', '-p', String(port), '-U', 'bench', '-d', database, '-qc', text], quiet);
  return {
    /** A database of its own for each rival. */
    database(name) {
      sql(`CREATE DATABASE ${name}`);
      return `postgresql://bench@127.0.0.1:${port}/${name}`;
    },
    settings: Object.entries(settings)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
    // SIGINT: PostgreSQL disconnects its clients and shuts down at once.
    stop: () => ended(child, 'SIGINT'),
  };
}

function postgresPrograms() {
  const versions = '/usr/lib/postgresql';
  const folders = existsSync(versions) ? readdirSync(versions).map((name) => join(versions, name, 'bin')) : [];
  return folders.findLast((folder) => existsSync(join(folder, 'postgres'))) ?? null;
}

function postgresUser() {
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function has(program) {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function untilOpen(port, child) {
  const deadline = Date.now() + readyWithinMs;
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    if (Date.now() > deadline) throw new Error(`${child.spawnfile} was not ready within ${readyWithinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (isOpen) => () => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });
}

function ended(child, signal) {
  child.kill(signal);
  return new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve()));
}
