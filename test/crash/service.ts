// `bosun up` as a process of its own, which may be killed at any moment.
import { type ChildProcess, spawn } from 'node:child_process';

export interface Service {
  /** The port, once it takes work; null when it ended before that. */
  readonly ready: Promise<number | null>;
  readonly isDead: boolean;
  readonly ended: Promise<number | null>;
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>;
  stop(): Promise<number | null>;
  said(): string;
}

const living = new Set<ChildProcess>();

/** For the end of a test that failed in the middle. */
export function killAll(): void {
  for (const child of living) child.kill('SIGKILL');
}

export function startService(main: string, home: string, env: Readonly<Record<string, string>>): Service {
  const child = spawn(process.execPath, [main, 'up', '--port', '0', '--home', home], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  living.add(child);
  let said = '';
  let isDead = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      isDead = true;
      living.delete(child);
      resolve(code);
    });
  });
  const ready = new Promise<number | null>((resolve) => {
    const look = (text: string) => {
      said += text;
      const port = /^ready http:\/\/127\.0\.0\.1:(\d+)$/m.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    };
    child.stdout.setEncoding('utf8').on('data', look);
    child.stderr.setEncoding('utf8').on('data', look);
    child.once('close', () => resolve(null));
  });
  const signalled = (name: NodeJS.Signals) => {
    child.kill(name);
    return ended;
  };
  return {
    ready,
    get isDead() {
      return isDead;
    },
    ended,
    kill: async () => void (await signalled('SIGKILL')),
    stop: () => signalled('SIGTERM'),
    said: () => said,
  };
}
