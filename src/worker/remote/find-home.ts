// Chooses the named home, its own if a Bosun has run there, or the only live one at its Redis, and tells if it shares
// that disk.
import { existsSync } from 'node:fs';
import { BosunError, pause } from '../../base/index.js';
import { diskMark, type Home } from '../../config/index.js';
import { homesIn, type LivingHome } from '../../queue/index.js';

export interface ChosenHome {
  readonly id: string;
  readonly isAway: boolean;
}

export interface HomeSearch {
  readonly home: Pick<Home, 'dir' | 'dbPath' | 'homeId'>;
  readonly redis: string;
  readonly wanted: string | null;
  readonly signal: AbortSignal;
  /** Called when the awaited thing changes. */
  readonly tell: (message: string) => void;
  readonly everyMs?: number;
}

/** Null: aborted before a home appeared. */
export async function whichHome(search: HomeSearch): Promise<ChosenHome | null> {
  const { home, wanted, signal, tell, everyMs = 1_000 } = search;
  if (wanted !== null && !isHomeId(wanted)) throw noHome(wanted);
  if (wanted !== null) {
    const { homes } = await look(search.redis);
    if (homes.every(({ id }) => id !== wanted))
      tell(`No Bosun of ${wanted} is active on this Redis now: waiting for it.`);
    return { id: wanted, isAway: isAwayFrom(home, wanted, homes) };
  }
  let told = '';
  // No time limit: the other machine may start later.
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

const noneYet = 'No Bosun is active on this Redis yet: waiting for one ("bosun up" with the same queue.redis).';

async function look(redis: string): Promise<{ readonly homes: readonly LivingHome[]; readonly waitsFor: string }> {
  try {
    return { homes: await homesIn(redis), waitsFor: noneYet };
  } catch (error) {
    if (!(error instanceof BosunError)) throw error;
    return { homes: [], waitsFor: `${error.message.replace(/\.?$/, '.')} Waiting for it.` };
  }
}

/** Compares disk marks, because a standby has the same secret and, after a takeover, a database. */
function isAwayFrom(home: HomeSearch['home'], id: string, living: readonly LivingHome[]): boolean {
  if (id !== home.homeId) return true;
  const { disk = null } = living.find((one) => one.id === id) ?? {};
  return disk === null ? !existsSync(home.dbPath) : disk !== diskMark(home);
}

function isHomeId(text: string): boolean {
  return /^h[0-9a-f]{8}$/.test(text);
}

function noHome(said: string): BosunError {
  return new BosunError('usage', `"${said}" is not a home id`, {
    hint: 'A home id is an h and eight hex digits; "bosun doctor" prints it on Bosun\'s machine.',
  });
}

function several(homes: readonly string[]): BosunError {
  return new BosunError('usage', `Several Bosuns are active on this Redis: ${homes.join(', ')}`, {
    hint: 'Choose one with bosun worker --for ID. "bosun doctor" prints its home id.',
  });
}
