import { describe, expect, it } from 'vitest';
import { redisVersion } from './server.js';

/** Tests that start a real Redis. Where the machine has none they are skipped, in one line; in CI that is a failure. */
export function describeRedis(what: string, tests: () => void): void {
  const version = redisVersion();
  if (version !== null) {
    describe(`redis ${version}: ${what}`, { timeout: 60_000 }, tests);
  } else if (process.env['CI'] === 'true') {
    it('redis-server is installed', () => expect(version).not.toBeNull());
  } else {
    it.skip(`${what}: there is no redis-server on this machine`, () => undefined);
  }
}
