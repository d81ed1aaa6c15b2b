/** Items that arrive while a run is in flight share the next run. */
export function batched<T>(act: (all: readonly T[]) => Promise<unknown>): (some: readonly T[]) => Promise<void> {
  let asked: T[] = [];
  let present: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;

  async function go(before: Promise<unknown>): Promise<void> {
    await before.catch(() => undefined);
    const all = asked;
    asked = [];
    next = null;
    await act(all);
  }

  return (some) => {
    asked.push(...some);
    if (next === null) {
      next = go(present);
      present = next;
    }
    return next;
  };
}
