// Claims and ends wait in memory for the next transaction, because one of their own costs as much as the commit itself.
import type { Database } from 'better-sqlite3';
import type { Claim } from '../../jobs/index.js';

export interface DeferredExchanges {
  readonly isEmpty: boolean;
  defer(ended: readonly string[], claims: readonly Claim[], instance: string, leaseUntil: number): (string | null)[];
  /** Null: no claim of it waits. */
  claimant(id: string): string | null;
  isEnding(id: string): boolean;
  /** Within a transaction. Call the result once that is on disk. */
  write(): () => void;
}

interface Exchange {
  readonly ended: readonly string[];
  readonly claims: readonly Claim[];
  readonly instance: string;
  readonly leaseUntil: number;
}

export function deferredExchanges(db: Database): DeferredExchanges {
  const waitingBody = db.prepare<[string], { body: string }>(`SELECT body FROM jobs WHERE id = ? AND state = 'queued'`);
  const claim = db.prepare<[string, string, number, string]>(
    `UPDATE jobs SET state = 'leased', worker = ?, instance = ?, lease_until = ? WHERE id = ? AND state = 'queued'`,
  );
  const end = db.prepare<[string, string]>(
    `UPDATE jobs SET state = 'done', body = '' WHERE id = ? AND instance = ? AND state = 'leased'`,
  );
  const waiting: Exchange[] = [];
  const claimants = new Map<string, string>();
  const ending = new Set<string>();

  function bodyFor({ id, instance }: Claim, own: string): string | null {
    if (claimants.has(id)) return null;
    const body = waitingBody.get(id)?.body ?? null;
    if (body !== null) claimants.set(id, instance ?? own);
    return body;
  }

  function write({ ended, claims, instance, leaseUntil }: Exchange): void {
    for (const id of ended) end.run(id, instance);
    for (const one of claims) claim.run(one.worker, one.instance ?? instance, leaseUntil, one.id);
  }

  return {
    get isEmpty() {
      return waiting.length === 0;
    },
    defer(ended, claims, instance, leaseUntil) {
      const bodies = claims.map((one) => bodyFor(one, instance));
      const own = claims.filter((_, at) => bodies[at] !== null);
      if (ended.length + own.length > 0) waiting.push({ ended, claims: own, instance, leaseUntil });
      for (const id of ended) ending.add(id);
      return bodies;
    },
    claimant: (id) => claimants.get(id) ?? null,
    isEnding: (id) => ending.has(id),
    write() {
      for (const one of waiting) write(one);
      return () => {
        waiting.length = 0;
        claimants.clear();
        ending.clear();
      };
    },
  };
}
