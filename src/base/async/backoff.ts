interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
}

export function backoffMs(failures: number, { firstMs, mostMs }: Backoff): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 30));
}
