import type { Database } from 'better-sqlite3';
import type { DeliveryRows, DeliveryWriter } from './deliveries.js';

export interface DeliveryEnds {
  readonly sent: number;
  readonly superseded: number;
  readonly failed: number;
  readonly refusals: number;
  readonly refusedMs: number;
}

export interface DeliveryEndRows {
  ends(): ReadonlyMap<string, DeliveryEnds>;
}

type Rows = DeliveryRows & DeliveryWriter;

/** Not counted: it accompanies the refused lane's block. */
const wholeChannel = '*';

const none: DeliveryEnds = { sent: 0, superseded: 0, failed: 0, refusals: 0, refusedMs: 0 };

export function countedDeliveries(db: Database, rows: Rows, now: () => number = Date.now): Rows & DeliveryEndRows {
  const ends = new Map<string, DeliveryEnds>();
  const open = db.prepare<[number], { channel: string }>(
    `SELECT channel FROM deliveries WHERE n = ? AND state IN ('waiting', 'sending')`,
  );
  const note = (channel: string | undefined, more: Partial<DeliveryEnds>) => {
    if (channel === undefined) return;
    const before = ends.get(channel) ?? none;
    const sum = (key: keyof DeliveryEnds) => before[key] + (more[key] ?? 0);
    ends.set(channel, {
      sent: sum('sent'),
      superseded: sum('superseded'),
      failed: sum('failed'),
      refusals: sum('refusals'),
      refusedMs: sum('refusedMs'),
    });
  };
  return {
    ...rows,
    end(n, state, at) {
      const channel = open.get(n)?.channel;
      rows.end(n, state, at);
      note(channel, { [state]: 1 });
    },
    fail(n, problem, at, mustTell) {
      const channel = open.get(n)?.channel;
      rows.fail(n, problem, at, mustTell);
      note(channel, { failed: 1 });
    },
    block(channel, lane, until) {
      rows.block(channel, lane, until);
      if (lane === wholeChannel) return;
      note(channel, { refusals: 1, refusedMs: Math.max(0, until - now()) });
    },
    ends: () => ends,
  };
}
