// `7.3f9a…`: the count of activations, and the session, for equal counts. '': none.

export function nextEpoch(session: string, ...before: readonly string[]): string {
  return `${Math.max(0, ...before.map(numberOf)) + 1}.${session}`;
}

export function numberOf(epoch: string): number {
  return Number(/^\d{1,15}(?=\.|$)/.exec(epoch)?.[0] ?? 0);
}

export function sessionOf(epoch: string): string {
  return epoch.slice(epoch.indexOf('.') + 1);
}

/** True if another session was active after `own`. */
export function isBehind(own: string, other: string): boolean {
  const [mine, theirs] = [numberOf(own), numberOf(other)];
  return mine < theirs || (mine === theirs && own !== other);
}
