import { type Clock, machineClock } from './clock.js';

/** Returns early on abort. Leaves no listener on the signal, which may outlive many waits. */
export function pause(ms: number, signal: AbortSignal, clock: Pick<Clock, 'after'> = machineClock): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}
