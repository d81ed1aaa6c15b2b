// What lies between each process and Redis: proxies in this process, or hosts of their own where the machine allows it.
import { namespaces } from './namespaces.js';
import { type Wire, wireTo } from './wire.js';

export interface Network {
  readonly kind: 'proxies' | 'namespaces';
  /** What a process of that end is started with. */
  commandOf(end: string): readonly string[];
  urlOf(end: string): string;
  /** Nothing passes, and nobody is told; false, here and below: this network cannot. */
  hold(end: string): boolean;
  /** Connections end. */
  cut(end: string): boolean;
  slow(end: string, ms: number): boolean;
  mend(end: string): void;
  close(): Promise<void>;
}

/** Redis itself: where it is started, and where the test reaches it. */
export interface RedisSeat {
  readonly command: readonly string[];
  readonly bind: string;
  readonly host: string;
  readonly port: number;
}

export interface Laid {
  readonly seat: RedisSeat;
  readonly network: Network;
}

export async function layNetwork(kind: Network['kind'], ends: readonly string[], freePort: number): Promise<Laid> {
  if (kind === 'namespaces') return namespaces(ends);
  const wires = new Map<string, Wire>();
  for (const end of ends) wires.set(end, await wireTo(freePort));
  const wireOf = (end: string): Wire => {
    const wire = wires.get(end);
    if (wire === undefined) throw new Error(`no wire to ${end}`);
    return wire;
  };
  const network: Network = {
    kind: 'proxies',
    commandOf: () => [],
    urlOf: (end) => `redis://127.0.0.1:${wireOf(end).port}`,
    hold(end) {
      wireOf(end).hold();
      return true;
    },
    cut(end) {
      wireOf(end).cut();
      return true;
    },
    slow(end, ms) {
      wireOf(end).slow(ms);
      return true;
    },
    mend: (end) => wireOf(end).mend(),
    close: async () => {
      for (const wire of wires.values()) await wire.close();
    },
  };
  return { seat: { command: [], bind: '127.0.0.1', host: '127.0.0.1', port: freePort }, network };
}
