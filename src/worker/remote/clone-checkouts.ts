// A clone per remote, with checkouts kept for their ignored files. Parallel attempts get numbered copies; a locked
// checkout or one with unpushed work is never reused.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { BosunError } from '../../base/index.js';
import { acquireLock, type Home } from '../../config/index.js';
import type { AttemptSpec, CheckoutBundle } from '../../jobs/index.js';
import type { MappedFolders } from './path-mapping.js';

export interface Checkout extends MappedFolders {
  readonly clone: string;
  readonly logs: string;
  /** Lets a person recover its work. */
  keep(): void;
  release(): void;
}

export const clonesFolder = 'clones';
export const repositoryName = 'repository';
export const usedName = 'used';
export const lockName = 'lock';
export const keptName = 'kept';
/** `named` never starts with a dot. */
const logsName = '.logs';

const mostAtOnce = 256;
const info = { port: null, role: 'cli' } as const;

export async function takeCheckout(
  home: Pick<Home, 'dir'>,
  bosun: string,
  spec: AttemptSpec,
  bundle: Pick<CheckoutBundle, 'remote' | 'prefix'>,
): Promise<Checkout> {
  const base = join(home.dir, clonesFolder, `${named(spec.project)}-${hashOf(bundle.remote)}`);
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
    // A worker that died left them.
    rmSync(logs, { recursive: true, force: true });
    return { clone: join(base, repositoryName), logs, ...groundIn(place, spec, bundle.prefix), keep, release };
  }
  throw new BosunError('limit', `${mostAtOnce} attempts already run in ${leaf}`, { hint: 'Try again later.' });
}

function groundIn(place: string, spec: AttemptSpec, prefix: string): MappedFolders {
  // Prompts show this path, so it has the project's name.
  const top = join(place, named(spec.project));
  const folder = resolve(top, prefix);
  // Either in the project's folder or beside an item's worktree, like on Bosun's machine.
  const inside = relative(spec.workdir, spec.sharedDir);
  const isInside = inside !== '' && !inside.startsWith('..') && !inside.startsWith('/');
  return { top, folder, shared: isInside ? join(folder, inside) : join(place, 'shared', named(spec.run)) };
}

const lockEveryMs = 1_000;
const lockForMs = 3_600_000;

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
  throw new BosunError('busy_home', `Another attempt has held ${clone} for too long`, { hint: 'Try again later.' });
}

export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Its age tells how long it was unused. */
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
