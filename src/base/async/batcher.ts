/**
 * Does it for many at once where doing it for one costs as much: one go at a time, and what is asked while it lasts is part
 * of the next one.
 */
export function batched<T>(act: (all: readonly T[]) => Promise<unknown>): (some: readonly T[]) => Promise<void> {
  let asked: T[] = [];
  let present: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | null = null;

  async function go(before: Promise<unknown>): Promise<void> {
    // Those who asked for that one have been told.
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
