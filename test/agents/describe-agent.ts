import { describe, expect, it } from 'vitest';
import { type Program, versionOf } from './programs.js';

/** Beyond what any walk needs on a machine that is busy with others. */
const patienceMs = 120_000;

/** Tests of one real program, named with its version. Absent, they are skipped; in CI that is a failure. */
export function describeAgent(kind: Program, what: string, tests: () => void): void {
  const version = versionOf(kind);
  if (version !== null) {
    describe(`${kind} ${version} ${what}`, { timeout: patienceMs }, tests);
  } else if (process.env['CI'] === 'true') {
    it(`${kind} is installed (npm run agents:install)`, () => expect(version).not.toBeNull());
  } else {
    it.skip(`${kind} ${what}: it is not installed, see npm run agents:install`, () => undefined);
  }
}
