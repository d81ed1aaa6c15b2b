import { expect, it } from 'vitest';
import { problemsOf } from '../../src/queue/redis/connection/problems.js';

it('a changed Redis problem is reported again, but its follow-up errors are not', () => {
  const told: (string | null)[] = [];
  const problems = problemsOf('h:1', (problem) => told.push(problem));
  const fail = (...words: readonly string[]) => {
    for (const one of words) problems.note(new Error(one));
  };
  fail('connect ECONNREFUSED 127.0.0.1:1', 'Connection is closed.', 'Command timed out');
  // It is back, with another password.
  fail('WRONGPASS invalid username-password pair', "Stream isn't writeable", 'WRONGPASS', 'Command timed out');
  expect(told).toEqual([expect.stringContaining('is unreachable'), expect.stringContaining('denies Bosun access')]);
  expect(problems.present).toBe(told[1]);
  fail('connect ECONNREFUSED 127.0.0.1:1');
  problems.clear();
  problems.clear();
  expect(told.slice(2)).toEqual([expect.stringContaining('is unreachable'), null]);
  fail('getaddrinfo ENOTFOUND nowhere');
  expect(told.at(-1)).toMatch(/DNS does not resolve the host name/);
});
