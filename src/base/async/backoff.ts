interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** The first failure waits `firstMs`, each further one twice as long, up to `mostMs`. */
export function backoffMs(failures: number, { firstMs, mostMs }: Backoff): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 30));
}
