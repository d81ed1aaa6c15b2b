// Stands between a client and Redis, to cut, to slow down or to swallow what passes.
import { connect, createServer, type Socket } from 'node:net';

export interface RedisProxy {
  readonly url: string;
  /** Ends every connection, and lets nobody in until `mend`. */
  cut(): void;
  mend(): void;
  /** Connections that there are say nothing any more, and do not end; new ones are as ever. */
  freeze(): void;
  /** Where new connections lead from now on. */
  aim(port: number): void;
  /** Holds back what Redis answers. */
  delayMs: number;
  close(): Promise<void>;
}

export async function proxyTo(toPort: number): Promise<RedisProxy> {
  const sockets = new Set<Socket>();
  let port = toPort;
  let isCut = false;
  let delayMs = 0;

  function join(here: Socket): void {
    const there = connect(port, '127.0.0.1');
    for (const socket of [here, there]) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        here.destroy();
        there.destroy();
      });
      socket.on('error', () => socket.destroy());
    }
    here.on('data', (chunk) => there.write(chunk));
    there.on('data', (chunk) => {
      if (delayMs === 0) here.write(chunk);
      else setTimeout(() => here.writable && here.write(chunk), delayMs).unref();
    });
    if (isCut) here.destroy();
  }

  const server = createServer(join);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `redis://127.0.0.1:${address.port}`,
    cut() {
      isCut = true;
      destroyAll();
    },
    mend() {
      isCut = false;
    },
    freeze() {
      for (const socket of sockets) socket.removeAllListeners('data').resume();
    },
    aim(to) {
      port = to;
    },
    get delayMs() {
      return delayMs;
    },
    set delayMs(ms) {
      delayMs = ms;
    },
    async close() {
      destroyAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
