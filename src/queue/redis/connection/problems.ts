// The operator gets a sentence when a problem begins, changes or ends, not on every retry.

export interface Problems {
  readonly present: string | null;
  note(error: unknown): void;
  clear(): void;
}

export function isFull(error: unknown): boolean {
  return /^(ReplyError: )?OOM /.test(String(error)) || String(error).includes('OOM command not allowed');
}

export function isOfRedis(error: unknown): boolean {
  const name = error instanceof Error ? error.name : '';
  return /Reply|Redis|Connection|MaxRetries/.test(name) || ofTheWay.test(String(error));
}

export function isOfSelect(error: unknown): boolean {
  return databaseOf(error) !== null;
}

function databaseOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('command' in error)) return null;
  const { command } = error;
  if (typeof command !== 'object' || command === null || !('name' in command) || command.name !== 'select') return null;
  const [database] = 'args' in command && Array.isArray(command.args) ? command.args : [];
  return String(database);
}

const ofTheWay =
  /no TLS|hung up|OOM |timed out|writeable|closed|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|Redis/;

/** `isUnknown`: an earlier process may have reported a problem, so report the first success too. */
export function problemsOf(
  place: string,
  tell: (problem: string | null) => void,
  { isUnknown = false } = {},
): Problems {
  let present: Face | null = null;
  let told: string | null | undefined = isUnknown ? undefined : null;

  /** Mere consequences of the present problem are skipped. */
  function become(next: Face | null): void {
    if (next !== null && next.weight === 0 && present?.weight === 2) return;
    const isNews = next === null || present === null || next.weight > 0;
    present = next;
    const text = next?.text ?? null;
    if (!isNews || text === told) return;
    told = text;
    tell(text);
  }

  return {
    get present() {
      return present?.text ?? null;
    },
    note: (error) => become(faceOf(error, place)),
    clear: () => become(null),
  };
}

interface Face {
  readonly text: string;
  /** 0: may be a consequence. 1: no server there. 2: names the cause. */
  readonly weight: 0 | 1 | 2;
}

function faceOf(error: unknown, place: string): Face {
  const said = error instanceof Error ? error.message : String(error);
  const told = toldBy(error, said, place);
  if (told !== null) return { text: told, weight: 2 };
  if (/timed out|did not answer/i.test(said)) {
    return { text: `Redis at ${place} is too slow to answer. Work waits and resumes automatically.`, weight: 0 };
  }
  const weight = /ECONNREFUSED|EHOST|ENET|hung up/.test(said) ? 1 : 0;
  const safe = /hung up/.test(said) ? ' If that port uses TLS, queue.redis must begin with rediss://.' : '';
  return {
    text: `Redis at ${place} is unreachable. Work waits and resumes automatically when it is back.${safe}`,
    weight,
  };
}

function toldBy(error: unknown, said: string, place: string): string | null {
  if (isFull(error)) {
    return `Redis at ${place} is out of memory: nothing new starts until it has room. Raise maxmemory, and keep maxmemory-policy noeviction.`;
  }
  if (/NOAUTH|WRONGPASS|NOPERM/.test(said)) {
    return `Redis at ${place} denies Bosun access. Check the user name and password in queue.redis.`;
  }
  if (isOfSelect(error)) {
    return `Redis at ${place} has no database ${databaseOf(error)}, and Bosun uses no other. Set an existing one in queue.redis: usually 0 to 15, in a cluster only 0.`;
  }
  if (/no TLS/.test(said)) {
    return `Redis at ${place} does not answer over TLS. Check that it is reachable, that the port uses TLS (otherwise queue.redis must begin with redis://), and that this machine trusts its certificate.`;
  }
  if (/ENOTFOUND|EAI_AGAIN/.test(said)) {
    return `Cannot find Redis at ${place}: DNS does not resolve the host name. Check the host in queue.redis, and this machine's network.`;
  }
  if (/MISCONF/.test(said)) return `Redis at ${place} cannot write to its disk and rejects writes. Check its log.`;
  if (/READONLY/.test(said)) return `Redis at ${place} is a read-only replica. Point queue.redis at the primary.`;
  if (/LOADING/.test(said)) return `Redis at ${place} is still loading its data and will answer soon.`;
  return null;
}
