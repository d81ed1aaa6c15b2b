// Starts workers as processes of their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const root = join(import.meta.dirname, '../..');

export interface WorkerPlace {
  start(options: ChildOptions): WorkerChild;
  /** Lets the handlers of all of its workers end. */
  openGate(): void;
  remove(): Promise<void>;
}

export interface ChildOptions {
  readonly redis: string;
  readonly home: string;
  readonly name: string;
  readonly leaseMs: number;
  readonly can?: readonly string[];
  /** How long its handlers take; left out: until the gate is open. */
  readonly handlerMs?: number;
}

export interface WorkerChild {
  readonly lines: readonly string[];
  /** Resolves once it has printed that line. */
  saw(line: string): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  ended(): Promise<void>;
}

/** Builds the worker once, into a folder of its own. */
export function workerPlace(): WorkerPlace {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-worker-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const program = join(folder, 'worker.mjs');
  const gate = join(folder, 'gate');
  const children: WorkerChild[] = [];
  buildSync({
    entryPoints: [join(import.meta.dirname, 'fixtures/worker-process.ts')],
    ...{ outfile: program, bundle: true, format: 'esm', platform: 'node', target: 'node20', packages: 'external' },
  });
  return {
    start(options) {
      const { redis, home, name, leaseMs, can = [], handlerMs = 0 } = options;
      const args = [program, redis, home, name, String(leaseMs), gate, String(handlerMs), can.join(',')];
      const child = childOf(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }));
      children.push(child);
      return child;
    },
    openGate: () => writeFileSync(gate, ''),
    async remove() {
      // One that is stopped ends all the same.
      for (const child of children) child.signal('SIGKILL');
      await Promise.all(children.map((child) => child.ended()));
      if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function childOf(child: ChildProcess): WorkerChild {
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  const end = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let rest = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    for (const listen of listeners) listen();
  });
  return {
    lines,
    saw: (line) =>
      new Promise((resolve) => {
        const look = () => {
          if (!lines.includes(line)) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      }),
    signal: (signal) => void child.kill(signal),
    ended: () => end,
  };
}
