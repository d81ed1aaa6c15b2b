// Where work lies on a machine without the home's disk: a clone for each remote, and in its folder a checkout for each that
// Bosun has, kept between attempts so that what git ignores (installed packages) stays. Of one that several attempts work
// in at a time there are several, and nobody is given one that is in use, by whichever process, or that holds work which
// could not be sent back.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { BosunError } from '../../base/index.js';
import { acquireLock, type Home } from '../../config/index.js';
import type { AttemptSpec, CheckoutBundle } from '../../jobs/index.js';
import type { MappedFolders } from './path-mapping.js';

export interface Checkout extends MappedFolders {
  /** The clone that it is a worktree of. */
  readonly clone: string;
  /** The log of the attempt is written below it, outside of what its agent works in. */
  readonly logs: string;
  /** No other attempt gets it, so that a person may take from it what is in it. */
  keep(): void;
  release(): void;
}

/** Names within a worker's home. */
export const clonesFolder = 'clones';
export const repositoryName = 'repository';
export const usedName = 'used';
export const lockName = 'lock';
export const keptName = 'kept';
/** No project's folder is named like this: `named` puts no dot first. */
const logsName = '.logs';

const mostAtOnce = 256;
const info = { port: null, role: 'cli' } as const;

export async function takeCheckout(
  home: Pick<Home, 'dir'>,
  bosun: string,
  spec: AttemptSpec,
  freight: Pick<CheckoutBundle, 'remote' | 'prefix'>,
): Promise<Checkout> {
  const base = join(home.dir, clonesFolder, `${named(spec.project)}-${hashOf(freight.remote)}`);
  const leaf = `${spec.workdir === spec.root ? 'main' : named(spec.item || spec.run)}-${hashOf(`${bosun}\n${spec.workdir}`)}`;
  for (let number = 1; number <= mostAtOnce; number += 1) {
    const place = join(base, number === 1 ? leaf : `${leaf}-${number}`);
    makeFolder(place);
    const held = await acquireLock({ lockPath: join(place, lockName) }, { waitMs: 0, info });
    if (held.kind === 'held') continue;
    if (existsSync(join(place, keptName))) {
      held.lock.release();
      continue;
    }
    touch(base);
    touch(place);
    const release = () => {
      touch(place);
      held.lock.release();
    };
    const keep = () => writeFileSync(join(place, keptName), '', { mode: 0o600 });
    const logs = join(place, logsName);
    // A worker that died may have left one.
    rmSync(logs, { recursive: true, force: true });
    return { clone: join(base, repositoryName), logs, ...groundIn(place, spec, freight.prefix), keep, release };
  }
  throw new BosunError('limit', `${mostAtOnce} attempts work in ${leaf} already`, { hint: 'Try again later.' });
}

function groundIn(place: string, spec: AttemptSpec, prefix: string): MappedFolders {
  // Prompts name it, and people who look for it see whose it is.
  const top = join(place, named(spec.project));
  const folder = resolve(top, prefix);
  // As on Bosun's machine: in the project's folder, or outside of an item's own worktree.
  const inside = relative(spec.workdir, spec.sharedDir);
  const isInside = inside !== '' && !inside.startsWith('..') && !inside.startsWith('/');
  return { top, folder, shared: isInside ? join(folder, inside) : join(place, 'shared', named(spec.run)) };
}

const lockEveryMs = 1_000;
const lockForMs = 3_600_000;

/** One at a time for each clone: making it, fetching into it, and checking out. */
export async function inClone<T>(clone: string, signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  makeFolder(join(clone, '..'));
  const until = Date.now() + lockForMs;
  while (!signal.aborted && Date.now() < until) {
    const held = await acquireLock({ lockPath: `${clone}.lock` }, { waitMs: lockEveryMs, info });
    if (held.kind === 'held') continue;
    try {
      return await act();
    } finally {
      held.lock.release();
    }
  }
  throw new BosunError('busy_home', `${clone} is in use by another attempt for too long`, { hint: 'Try again later.' });
}

export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** By its age it is known how long nobody has worked there. */
function touch(place: string): void {
  const path = join(place, usedName);
  writeFileSync(path, '', { flag: 'a', mode: 0o600 });
  const now = new Date();
  utimesSync(path, now, now);
}

function named(text: string): string {
  return (
    text
      .replaceAll(/[^\w.-]/g, '-')
      .replace(/^\.+/, '-')
      .slice(0, 60) || 'work'
  );
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
