// What is wrong with Redis, in a sentence for whoever runs it: told when it begins and when it is over, never with every
// failed try.

export interface Problems {
  /** Null: nothing is. */
  readonly present: string | null;
  note(error: unknown): void;
  clear(): void;
}

/** What Redis answers when it may not take any more; it can still be read. */
export function isFull(error: unknown): boolean {
  return /^(ReplyError: )?OOM /.test(String(error)) || String(error).includes('OOM command not allowed');
}

/** Whether it failed because of Redis or the way there. */
export function isOfRedis(error: unknown): boolean {
  const name = error instanceof Error ? error.name : '';
  return /Reply|Redis|Connection|MaxRetries/.test(name) || ofTheWay.test(String(error));
}

const ofTheWay =
  /OOM |timed out|writeable|closed|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|Redis/;

/** `isUnknown`: what was told by an earlier process, so that it is told too that nothing is wrong. */
export function problemsOf(
  place: string,
  tell: (problem: string | null) => void,
  { isUnknown = false } = {},
): Problems {
  let present: string | null = null;
  let isFirst = isUnknown;

  /** What is wrong may change its face while it lasts: whoever is told hears of its begin and its end. */
  function become(next: string | null): void {
    const isNews = isFirst || (next === null) !== (present === null);
    isFirst = false;
    present = next;
    if (isNews) tell(next);
  }

  return {
    get present() {
      return present;
    },
    note: (error) => become(wordFor(error, place)),
    clear: () => become(null),
  };
}

function wordFor(error: unknown, place: string): string {
  const said = error instanceof Error ? error.message : String(error);
  if (isFull(error)) {
    return `Redis at ${place} is full: nothing new starts until it has room. Raise maxmemory, and keep maxmemory-policy noeviction.`;
  }
  if (/NOAUTH|WRONGPASS|NOPERM/.test(said)) {
    return `Redis at ${place} does not let Bosun in. Look at the name and the password in queue.redis.`;
  }
  if (/MISCONF/.test(said)) return `Redis at ${place} cannot write to its disk and takes nothing. Look at its log.`;
  if (/READONLY/.test(said))
    return `Redis at ${place} is a replica and takes nothing. Point queue.redis at the primary.`;
  if (/LOADING/.test(said)) return `Redis at ${place} is reading its file and will answer soon.`;
  if (/timed out|did not answer/i.test(said))
    return `Redis at ${place} is too slow to answer. Work waits and goes on by itself.`;
  return `Redis at ${place} is away. Work waits and goes on by itself when it is back.`;
}
