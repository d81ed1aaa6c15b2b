export interface Heap<T> {
  push(value: T): void;
  peek(): T | undefined;
  pop(): T | undefined;
}

export function heap<T>(before: (a: T, b: T) => boolean): Heap<T> {
  const values: T[] = [];

  function swapIf(upper: number, lower: number): boolean {
    const a = values[upper];
    const b = values[lower];
    if (a === undefined || b === undefined || !before(b, a)) return false;
    values[upper] = b;
    values[lower] = a;
    return true;
  }

  function rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!swapIf(parent, at)) return;
      at = parent;
    }
  }

  function sink(): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const child = isBefore(left + 1, left) ? left + 1 : left;
      if (!swapIf(at, child)) return;
      at = child;
    }
  }

  function isBefore(first: number, second: number): boolean {
    const a = values[first];
    const b = values[second];
    return a !== undefined && b !== undefined && before(a, b);
  }

  return {
    push(value) {
      values.push(value);
      rise(values.length - 1);
    },
    peek: () => values[0],
    pop() {
      const top = values[0];
      const last = values.pop();
      if (values.length > 0 && last !== undefined) {
        values[0] = last;
        sink();
      }
      return top;
    },
  };
}
