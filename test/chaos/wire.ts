// A way to Redis that can be held (nothing passes, as when a cable is out), cut (connections end, none is let in), made
// slow, and turned to another server.
import { connect, createServer, type Socket } from 'node:net';

export interface Wire {
  readonly port: number;
  hold(): void;
  cut(): void;
  /** Lets everything pass again, also what was held. */
  mend(): void;
  slow(ms: number): void;
  turnTo(port: number): void;
  close(): Promise<void>;
}

interface Pair {
  readonly here: Socket;
  readonly there: Socket;
}

export async function wireTo(firstPort: number): Promise<Wire> {
  const pairs = new Set<Pair>();
  let port = firstPort;
  let state: 'open' | 'held' | 'cut' = 'open';
  let delayMs = 0;

  /** In their order, also when it becomes quicker meanwhile. */
  function pass(from: Socket, to: Socket): void {
    let before = Promise.resolve();
    from.on('data', (chunk) => {
      const due = Date.now() + delayMs;
      before = before.then(() => until(due)).then(() => void (to.writable && to.write(chunk)));
    });
  }

  function take(here: Socket): void {
    here.on('error', () => here.destroy());
    if (state === 'cut') return void here.destroy();
    const there = connect(port, '127.0.0.1');
    const pair = { here, there };
    pairs.add(pair);
    there.on('error', () => there.destroy());
    for (const socket of [here, there]) {
      socket.on('close', () => {
        pairs.delete(pair);
        here.destroy();
        there.destroy();
      });
    }
    pass(here, there);
    pass(there, here);
    if (state === 'held') still(pair);
  }

  function endAll(): void {
    for (const { here, there } of pairs) {
      here.destroy();
      there.destroy();
    }
  }

  const server = createServer(take);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return {
    port: address.port,
    hold() {
      state = 'held';
      for (const pair of pairs) still(pair);
    },
    cut() {
      state = 'cut';
      endAll();
    },
    mend() {
      state = 'open';
      delayMs = 0;
      for (const { here, there } of pairs) {
        here.resume();
        there.resume();
      }
    },
    slow(ms) {
      delayMs = ms;
    },
    turnTo(other) {
      port = other;
      endAll();
    },
    async close() {
      endAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function still({ here, there }: Pair): void {
  here.pause();
  there.pause();
}

async function until(due: number): Promise<void> {
  const ms = due - Date.now();
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
