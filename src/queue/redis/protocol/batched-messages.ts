// Messages of one event loop turn to one stream share an entry.
import type { Redis } from 'ioredis';

export interface MessageWriter {
  write(stream: string, message: string): Promise<void>;
}

export interface MessageWriterOptions {
  readonly redis: Redis;
  readonly from: string;
  readonly maxEntries: number;
  /** Expires a stream that its reader may have left; null: it stays. */
  readonly keptMs: number | null;
}

/** Per entry; a longer message gets its own. */
const maxMessages = 100;
const maxChars = 256 * 1024;

interface Waiting {
  readonly messages: string[];
  chars: number;
  readonly sent: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export function messageWriter({ redis, from, maxEntries, keptMs }: MessageWriterOptions): MessageWriter {
  const waiting = new Map<string, Waiting>();
  let isComing = false;

  function send(stream: string, { messages, resolve, reject }: Waiting): void {
    const fields = messages.flatMap((message) => ['m', message]);
    const added = redis.xadd(stream, 'MAXLEN', '~', maxEntries, '*', 'from', from, ...fields);
    const kept = keptMs === null ? null : redis.pexpire(stream, keptMs);
    Promise.all([added, kept]).then(resolve, reject);
  }

  function flush(): void {
    isComing = false;
    const all = [...waiting];
    waiting.clear();
    for (const [stream, one] of all) send(stream, one);
  }

  function open(stream: string): Waiting {
    const { promise, resolve, reject } = withResolvers();
    const opened: Waiting = { messages: [], chars: 0, sent: promise, resolve, reject };
    waiting.set(stream, opened);
    if (!isComing) {
      isComing = true;
      // After this turn's promises, so that many answers share a write.
      process.nextTick(flush);
    }
    return opened;
  }

  return {
    write(stream, message) {
      let one = waiting.get(stream);
      if (one !== undefined && (one.messages.length >= maxMessages || one.chars + message.length > maxChars)) {
        send(stream, one);
        one = undefined;
      }
      one ??= open(stream);
      one.messages.push(message);
      one.chars += message.length;
      return one.sent;
    },
  };
}

export function messagesIn(fields: readonly string[]): readonly string[] {
  return fields.filter((_, at) => at % 2 === 1 && fields[at - 1] === 'm');
}

function withResolvers() {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  return { promise, resolve, reject };
}
