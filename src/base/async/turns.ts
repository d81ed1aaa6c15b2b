// One after the other within this process, by a key: what git does in one repository, where two at once trip over locks.

const last = new Map<string, Promise<unknown>>();

/** Waits for those before it, but not for longer than until `signal`; then `act` is not called, and null is the answer. */
export async function inTurn<T>(key: string, act: () => Promise<T>, signal?: AbortSignal): Promise<T | null> {
  const before = last.get(key) ?? Promise.resolve();
  const { promise: done, resolve: finish } = gate();
  const mine = before.then(() => done);
  last.set(key, mine);
  try {
    await orAborted(before, signal);
    return signal?.aborted ? null : await act();
  } finally {
    finish();
    void mine.then(() => {
      if (last.get(key) === mine) last.delete(key);
    });
  }
}

function gate(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

async function orAborted(before: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return void (await before);
  const { promise: aborted, resolve } = gate();
  if (signal.aborted) resolve();
  signal.addEventListener('abort', resolve, { once: true });
  await Promise.race([before, aborted]);
  signal.removeEventListener('abort', resolve);
}
