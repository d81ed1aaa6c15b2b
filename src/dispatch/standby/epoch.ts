// An epoch: how many times a Bosun of this home became the active one, and which session that was, so that two which counted
// alike are told apart. `7.3f9a…`; empty: none yet.

export function nextEpoch(session: string, ...before: readonly string[]): string {
  return `${Math.max(0, ...before.map(numberOf)) + 1}.${session}`;
}

export function numberOf(epoch: string): number {
  return Number(/^\d{1,15}(?=\.|$)/.exec(epoch)?.[0] ?? 0);
}

/** Empty: of nobody. */
export function sessionOf(epoch: string): string {
  return epoch.slice(epoch.indexOf('.') + 1);
}

/** Whether somebody else was active after the one whose epoch `own` is. */
export function isBehind(own: string, other: string): boolean {
  const [mine, theirs] = [numberOf(own), numberOf(other)];
  return mine < theirs || (mine === theirs && own !== other);
}
