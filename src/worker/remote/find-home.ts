// Whose jobs a worker takes: those of the home that it was told, of its own if a Bosun has worked there, or of the only one
// whose Bosun lives at its Redis; and whether that Bosun's disk is the one here.
import { existsSync } from 'node:fs';
import { BosunError, pause } from '../../base/index.js';
import { diskMark, type Home } from '../../config/index.js';
import { homesIn, type LivingHome } from '../../queue/index.js';

export interface ChosenHome {
  readonly id: string;
  /** It has not that home's disk. */
  readonly isAway: boolean;
}

export interface HomeSearch {
  readonly home: Pick<Home, 'dir' | 'dbPath' | 'homeId'>;
  readonly redis: string;
  /** As it was said; null: nothing was. */
  readonly wanted: string | null;
  /** Waiting ends with it. */
  readonly signal: AbortSignal;
  /** What is waited for, said once. */
  readonly tell: (message: string) => void;
  readonly everyMs?: number;
}

/** null: it was told to end before there was one. */
export async function whichHome(search: HomeSearch): Promise<ChosenHome | null> {
  const { home, wanted, signal, tell, everyMs = 1_000 } = search;
  if (wanted !== null && !isHomeId(wanted)) throw noHome(wanted);
  if (wanted !== null) {
    const { homes } = await look(search.redis);
    if (homes.every(({ id }) => id !== wanted))
      tell(`No Bosun of ${wanted} is at work at this Redis just now: its jobs are taken when there is one.`);
    return { id: wanted, isAway: isAwayFrom(home, wanted, homes) };
  }
  let told = '';
  // As a service it waits for as long as it is let: the other machine may come up later.
  while (!signal.aborted) {
    const found = await look(search.redis);
    const ids = existsSync(home.dbPath) ? [home.homeId] : found.homes.map(({ id }) => id);
    if (ids.length > 1) throw several(ids);
    const [id] = ids;
    if (id !== undefined) return { id, isAway: isAwayFrom(home, id, found.homes) };
    if (told !== found.waitsFor) tell(found.waitsFor);
    told = found.waitsFor;
    await pause(everyMs, signal);
  }
  return null;
}

const noneYet = 'No Bosun is at work at this Redis yet: waiting for one ("bosun up" with the same queue.redis).';

async function look(redis: string): Promise<{ readonly homes: readonly LivingHome[]; readonly waitsFor: string }> {
  try {
    return { homes: await homesIn(redis), waitsFor: noneYet };
  } catch (error) {
    if (!(error instanceof BosunError)) throw error;
    return { homes: [], waitsFor: `${error.message.replace(/\.?$/, '.')} Waiting for it.` };
  }
}

/**
 * Where one may take over from another, both machines have the secret, and after the first time a database too: what tells
 * them apart is the disk that the Bosun at work names. While none is at work nothing begins, and the worker looks again.
 */
function isAwayFrom(home: HomeSearch['home'], id: string, living: readonly LivingHome[]): boolean {
  if (id !== home.homeId) return true;
  const { disk = null } = living.find((one) => one.id === id) ?? {};
  return disk === null ? !existsSync(home.dbPath) : disk !== diskMark(home);
}

function isHomeId(text: string): boolean {
  return /^h[0-9a-f]{8}$/.test(text);
}

function noHome(said: string): BosunError {
  return new BosunError('usage', `"${said}" is not the id of a home`, {
    hint: 'It is an h and eight hex digits, as "bosun doctor" prints it on Bosun\'s machine.',
  });
}

function several(homes: readonly string[]): BosunError {
  return new BosunError('usage', `Several Bosuns are at work at this Redis: ${homes.join(', ')}`, {
    hint: 'Say whose work it is to do: bosun worker --for ID. "bosun doctor" prints the id of its home.',
  });
}
