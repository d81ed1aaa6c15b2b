import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { BosunError, errnoOf, heedSettings, makeFile } from '../../base/index.js';
import type { AgentKind } from '../../jobs/index.js';
import type { ChannelConfigKind } from '../channel-kinds.js';

export interface Home<Agent extends AgentKind = AgentKind> {
  readonly dir: string;
  readonly dbPath: string;
  readonly configPath: string;
  readonly tokenPath: string;
  readonly lockPath: string;
  /** Derives attempt tokens; 64 hex digits, never shown. */
  readonly secret: string;
  /** `h` and eight hex digits, derived from the secret. */
  readonly homeId: string;
  readonly apiToken: string;
  readonly agents: readonly Agent[];
  readonly channels: readonly ChannelConfigKind[];
  readonly reservedWords: ReadonlySet<string>;
  /** Paths that others could read, with the remedy applied. */
  readonly warnings: readonly string[];
}

export type HomeOfConfig = Pick<Home, 'configPath' | 'agents' | 'channels' | 'reservedWords'>;

export function openHome<Agent extends AgentKind>(
  dir: string | undefined,
  known: Pick<Home<Agent>, 'agents' | 'channels' | 'reservedWords'>,
): Home<Agent> {
  const path = homePath(dir);
  return explaining(path, () => {
    const warnings = [...makePrivateFolder(path)];
    heedSettings(path);
    const paths = {
      dbPath: join(path, 'bosun.db'),
      configPath: join(path, 'config.yaml'),
      tokenPath: join(path, 'token'),
      lockPath: join(path, 'lock'),
    };
    const secretPath = join(path, 'secret');
    const secret = keptHex(secretPath);
    const apiToken = keptHex(paths.tokenPath);
    for (const file of [secretPath, paths.tokenPath, paths.configPath]) warnings.push(...tightenFile(file));
    return { dir: path, ...paths, secret, homeId: homeIdOf(secret), apiToken, ...known, warnings };
  });
}

export function homeFolder(
  home: Pick<Home, 'dir'>,
  name: 'logs' | 'worktrees' | 'demo' | 'attempts' | 'attempt-logs' | 'opened' | 'pictures',
): string {
  const path = join(home.dir, name);
  return explaining(home.dir, () => {
    makeFolder(path);
    return path;
  });
}

function homePath(dir: string | undefined): string {
  const named = dir ?? process.env['BOSUN_HOME'] ?? '';
  return named === '' ? join(homedir(), '.bosun') : resolve(named);
}

function makePrivateFolder(path: string): readonly string[] {
  if (makeFolder(path)) return [];
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return [];
  // The folder may have other uses: keep its mode.
  const names = readdirSync(path);
  if (names.length > 0 && !names.includes('secret')) {
    return [`Other users can read ${path}, and it contains other files: give Bosun a folder of its own`];
  }
  return tighten(path, 0o700, mode);
}

/** False: it existed. Node's `recursive` loops forever if a parent fails with ENOENT (/proc). */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST' && statSync(path).isDirectory()) return false;
    if (errno !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
    return true;
  }
}

function tightenFile(path: string): readonly string[] {
  try {
    // A symlink's mode means nothing.
    const stat = lstatSync(path);
    const mode = stat.mode & 0o777;
    return stat.isFile() && (mode & 0o077) !== 0 ? tighten(path, 0o600, mode) : [];
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function tighten(path: string, to: number, from: number): readonly string[] {
  try {
    chmodSync(path, to);
  } catch (cause) {
    throw new BosunError('bad_config', `Other users can read ${path}, and this user cannot change its permissions`, {
      hint: `Make the user that runs Bosun its owner, with mode 0${to.toString(8)}.`,
      cause,
    });
  }
  return [`other users could read ${path} (mode 0${from.toString(8)}); changed its mode to 0${to.toString(8)}`];
}

function keptHex(path: string): string {
  const kept = readHex(path);
  if (kept !== null) return kept;
  makeFile(path, `${randomBytes(32).toString('hex')}\n`);
  const made = readHex(path);
  if (made === null) throw new BosunError('disk', `${path} was created but does not exist`);
  return made;
}

function readHex(path: string): string | null {
  let text: string;
  try {
    text = readFileSync(path, 'latin1').trim();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  throw new BosunError('bad_config', `${path} does not hold 64 hex digits`, {
    hint: 'Restore it from a backup, or delete it: Bosun then creates a new one, and everything signed with the old one becomes invalid.',
  });
}

function homeIdOf(secret: string): string {
  return `h${createHash('sha256').update(secret).digest('hex').slice(0, 8)}`;
}

function explaining<T>(dir: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof BosunError) throw cause;
    const errno = errnoOf(cause);
    if (errno === 'EEXIST' || errno === 'ENOTDIR') {
      throw new BosunError('bad_config', `${dir} cannot be Bosun's home: part of its path is not a folder`, {
        hint: 'Choose another folder with --home or BOSUN_HOME.',
        cause,
      });
    }
    throw new BosunError('disk', `Cannot use ${dir} as Bosun's home (${errno || 'unknown error'})`, {
      hint: 'Give the user that runs Bosun write access, or choose another folder with --home or BOSUN_HOME.',
      cause,
    });
  }
}
