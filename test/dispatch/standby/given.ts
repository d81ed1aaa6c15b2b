// Homes of one Bosun on several machines, and leases that are taken for them.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config/file/read-config.js';
import { type Lease, takeLease } from '../../../src/dispatch/index.js';
import type { Taking } from '../../../src/dispatch/standby/take-over.js';
import { type Home, openHome } from '../../open-home.js';

export const lastsMs = 1_000;

/** Each is a machine's; all have the first one's secret. */
export function givenHomes(count: number, redis: string, standby = 'standby: {}'): Home[] {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-lease-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const dirs = Array.from({ length: count }, (_, index) => join(folder, `m${index}`));
  return dirs.map((dir) => {
    openHome(join(folder, 'm0'));
    const home = dir === dirs[0] ? openHome(dir) : sharing(join(folder, 'm0'), dir);
    writeFileSync(home.configPath, `queue: { redis: "${redis}", lease_s: ${lastsMs / 1_000} }\n${standby}\n`);
    return home;
  });
}

function sharing(from: string, dir: string): Home {
  openHome(dir);
  cpSync(join(from, 'secret'), join(dir, 'secret'));
  return openHome(dir);
}

type Given = Partial<Omit<Taking, 'home' | 'config'>>;

/** Gone at the end of the test. */
export async function taken(home: Home, given: Given = {}): Promise<Lease> {
  const lease = await takeLease({ home, config: loadConfig(home, {}), env: process.env, ...given });
  if (lease === null) throw new Error('it was not taken');
  onTestFinished(() => lease.abandon());
  return lease;
}

/** What a Bosun on another machine left that was killed just now. */
export function deadHolder(leftMs: number, host = 'far', session = 'dead') {
  const since = Date.now();
  const own = { epoch: `3.${session}`, place: 'elsewhere', standby: true };
  const text = JSON.stringify({ session, host, pid: 7, since, ...own });
  return { text, leftMs };
}
