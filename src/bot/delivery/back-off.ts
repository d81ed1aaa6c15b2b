const firstBackOffMs = 1_000;
const maxBackOffMs = 60_000;

/** Longer each time, and never in step with others. */
export function backOffMs(times: number, random: () => number): number {
  const ms = Math.min(maxBackOffMs, firstBackOffMs * 2 ** Math.min(times - 1, 10));
  return ms / 2 + (ms / 2) * random();
}
