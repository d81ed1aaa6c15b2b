// Hosts on this machine: a network namespace for each worker and one for Redis, joined by a bridge that lies in the
// latter. Bosun stays outside and has a link of its own to it, and so does the test. All of it goes at the end.
import { execFileSync } from 'node:child_process';
import type { Laid, Network } from './network.js';

const port = 6_379;

/** Whether this machine lets us. */
export function canNamespace(): boolean {
  const name = `bc${process.pid}try`;
  try {
    run('ip', 'netns', 'add', name);
    run('ip', 'netns', 'delete', name);
    return true;
  } catch {
    return false;
  }
}

export function namespaces(ends: readonly string[]): Laid {
  const base = `bc${process.pid}`;
  const net = `10.${100 + (process.pid % 100)}.${process.pid % 250}`;
  const hub = `${base}hub`;
  const made: string[] = [];
  const inHub = (...args: readonly string[]) => run('ip', 'netns', 'exec', hub, ...args);
  const spaceOf = (end: string) => `${base}${end}`;
  /** The end of its link that lies in the hub. */
  const hubSideOf = (end: string) => `${base}${end}h`;

  function close(): void {
    // With its namespace a link goes, and with one end the other.
    for (const name of made.splice(0)) {
      try {
        run('ip', 'netns', 'delete', name);
      } catch {
        // It was not made any more.
      }
    }
  }

  function add(name: string): void {
    run('ip', 'netns', 'add', name);
    made.push(name);
    run('ip', 'netns', 'exec', name, 'ip', 'link', 'set', 'lo', 'up');
  }

  try {
    add(hub);
    inHub('ip', 'link', 'add', 'bridge', 'type', 'bridge');
    inHub('ip', 'address', 'add', `${net}.1/25`, 'dev', 'bridge');
    inHub('ip', 'link', 'set', 'bridge', 'up');
    for (const [at, end] of ends.entries()) {
      const [own, other] = [`${base}${end}`, hubSideOf(end)];
      run('ip', 'link', 'add', own, 'type', 'veth', 'peer', 'name', other, 'netns', hub);
      inHub('ip', 'link', 'set', other, 'master', 'bridge');
      inHub('ip', 'link', 'set', other, 'up');
      const within = end === 'bosun' ? [] : ['ip', 'netns', 'exec', spaceOf(end)];
      if (end !== 'bosun') {
        add(spaceOf(end));
        run('ip', 'link', 'set', own, 'netns', spaceOf(end));
      }
      run(...within, 'ip', 'address', 'add', `${net}.${10 + at}/25`, 'dev', own);
      run(...within, 'ip', 'link', 'set', own, 'up');
    }
    run('ip', 'link', 'add', `${base}test`, 'type', 'veth', 'peer', 'name', `${base}testh`, 'netns', hub);
    inHub('ip', 'address', 'add', `${net}.129/30`, 'dev', `${base}testh`);
    inHub('ip', 'link', 'set', `${base}testh`, 'up');
    run('ip', 'address', 'add', `${net}.130/30`, 'dev', `${base}test`);
    run('ip', 'link', 'set', `${base}test`, 'up');
  } catch (error) {
    close();
    throw error;
  }
  const network: Network = {
    kind: 'namespaces',
    commandOf: (end) => (end === 'bosun' ? [] : ['ip', 'netns', 'exec', spaceOf(end)]),
    urlOf: () => `redis://${net}.1:${port}`,
    hold(end) {
      inHub('ip', 'link', 'set', hubSideOf(end), 'down');
      return true;
    },
    cut: () => false,
    slow(end, ms) {
      try {
        inHub('tc', 'qdisc', 'replace', 'dev', hubSideOf(end), 'root', 'netem', 'delay', `${ms}ms`);
        return true;
      } catch {
        // Not every kernel has it.
        return false;
      }
    },
    mend(end) {
      inHub('ip', 'link', 'set', hubSideOf(end), 'up');
      try {
        inHub('tc', 'qdisc', 'delete', 'dev', hubSideOf(end), 'root');
      } catch {
        // It was not slow.
      }
    },
    close: async () => close(),
  };
  return { seat: { command: ['ip', 'netns', 'exec', hub], bind: '0.0.0.0', host: `${net}.129`, port }, network };
}

function run(...[program = '', ...args]: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 10_000 });
}
