import type { QueueClock } from '../../../base/index.js';
import { homeDisk } from '../../../jobs/index.js';
import type { GrantTaker } from '../offers/idle-workers.js';
import { protocolVersion, type WorkerMessage } from '../protocol/messages.js';
import { asTag, canServe, needsKey } from '../protocol/redis-keys.js';

export interface ListedWorker {
  readonly session: string;
  readonly name: string;
  readonly can: readonly string[];
  readonly slots: number;
  readonly runs: readonly string[];
  readonly host: string;
  readonly isAway: boolean;
  readonly bosun: string;
  readonly isForeign: boolean;
  readonly isDraining: boolean;
  readonly heardAt: number;
}

interface HeardWorker {
  readonly at: number;
  readonly member: Omit<ListedWorker, 'heardAt'>;
  readonly takesGrants: boolean;
}

const shownForLeases = 8;
const most = 1_000;

export interface WorkerListOptions {
  readonly clock: QueueClock;
  readonly leaseMs: number;
  readonly disk: string | null;
  readonly onNew: () => void;
}

export class WorkerList {
  readonly #options: WorkerListOptions;
  readonly #members = new Map<string, HeardWorker>();

  constructor(options: WorkerListOptions) {
    this.#options = options;
  }

  /** `agoMs`: the time in Redis while no Bosun read. */
  hear(session: string, up: WorkerMessage, agoMs: number): void {
    if (up.type === 'bye') this.#members.delete(session);
    if (up.type !== 'beat' || (this.#members.size >= most && !this.#members.has(session))) return;
    const { type: _, version, disk, ...said } = up;
    const isForeign = version !== protocolVersion;
    const isNew = !this.#members.has(session);
    const at = this.#options.clock.steady() - agoMs;
    const isOnDisk = disk === null || (disk !== undefined && disk === this.#options.disk);
    const takesGrants = isOnDisk && !isForeign && !up.isDraining;
    this.#members.set(session, { at, member: { session, ...said, isForeign }, takesGrants });
    if (isNew) this.#options.onNew();
  }

  /** True while no worker is listed: unknown abilities must not hold jobs back. */
  canDo(needs: readonly string[]): boolean {
    const members = needs.length === 0 ? [] : this.present();
    const key = needsKey(needs);
    return members.length === 0 || members.some((one) => canServe(key, abilitiesOf(one)));
  }

  /** Heard too recently to be given up before they begin a job. */
  grantTakers(): readonly GrantTaker[] {
    const since = this.#options.clock.steady() - this.#options.leaseMs / 2;
    const takers = [...this.#members.values()].filter(({ at, takesGrants }) => takesGrants && at >= since);
    return takers.map(({ member }) => member);
  }

  present(): readonly ListedWorker[] {
    const { clock, leaseMs } = this.#options;
    const [now, steady] = [clock.now(), clock.steady()];
    for (const [session, { at }] of this.#members) {
      if (at < steady - leaseMs * shownForLeases) this.#members.delete(session);
    }
    return [...this.#members.values()].map(({ at, member }) => ({ ...member, heardAt: now - (steady - at) }));
  }
}

function abilitiesOf({ can, isAway }: ListedWorker): ReadonlySet<string> {
  const own = can.map(asTag);
  return new Set(isAway ? own : [...own, homeDisk]);
}
