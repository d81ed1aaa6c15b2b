// Jobs handed directly to a worker. A hash names them, so that Bosun notices if Redis loses its data.
import type { Redis } from 'ioredis';
import type { HomeMessage } from './messages.js';
import type { Names } from './redis-keys.js';

export interface Grants {
  /** Resolves once Redis has it. False: another Bosun may own this queue. */
  send(session: string, grant: Extract<HomeMessage, { type: 'grant' }>): Promise<boolean>;
  drop(id: string): void;
  ids(): Promise<readonly string[]>;
}

export interface GrantsOptions {
  readonly redis: Redis;
  readonly names: Names;
  readonly isActive: () => boolean;
  readonly say: (session: string, down: HomeMessage) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

interface Marks {
  readonly ids: string[];
  readonly written: Promise<unknown>;
}

export function openGrants({ redis, names, isActive, say, onError }: GrantsOptions): Grants {
  let marks: Marks | null = null;
  let dropped: string[] = [];

  /** One command for all of a turn. */
  function mark(id: string): Promise<unknown> {
    const opened = marks ?? openMarks();
    opened.ids.push(id);
    return opened.written;
  }

  function openMarks(): Marks {
    const ids: string[] = [];
    const written = new Promise((resolve, reject) => {
      process.nextTick(() => {
        marks = null;
        redis.hset(names.granted, ...ids.flatMap((id) => [id, ''])).then(resolve, reject);
      });
    });
    marks = { ids, written };
    return marks;
  }

  function flushDropped(): void {
    const ids = dropped;
    dropped = [];
    redis.hdel(names.granted, ...ids).catch(onError);
  }

  return {
    async send(session, grant) {
      if (!isActive()) return false;
      // Only a grant that has both counts as sent: without its mark, a sent job counts as lost.
      await Promise.all([mark(grant.id), say(session, grant)]);
      return true;
    },
    drop(id) {
      if (dropped.length === 0) process.nextTick(flushDropped);
      dropped.push(id);
    },
    ids: () => redis.hkeys(names.granted),
  };
}
