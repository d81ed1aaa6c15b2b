// Runs in processes of their own: takes the lock of the home that is named, and does what it is told line by line.
import { createInterface } from 'node:readline';
import { acquireLock } from '../../src/config/home/lock.js';

const [lockPath = '', waitMs = '0'] = process.argv.slice(2);
const say = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

const taken = await acquireLock({ lockPath }, { waitMs: Number(waitMs), info: { port: null, role: 'up' } });
if (taken.kind === 'held') say(taken);
else {
  say({ kind: 'acquired' });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'release') {
      taken.lock.release();
      say({ kind: 'released' });
      break;
    }
    taken.lock.update({ port: Number(line) });
    say({ kind: 'updated' });
  }
}
process.exit(0);
