import { describe, expect, it } from 'vitest';
import { bosun, newFolder } from './given.js';

describe('bosun worker', () => {
  it.each([
    [['--concurrency', '0'], /from 1 to 256/],
    [['--concurrency', '-1'], /whole number/],
    [['--name', 'a\nb'], /one line of plain text/],
    [['--can', 'GPU!'], /small letters, digits/],
  ])('rejects %j', async (args, says) => {
    const { code, err } = await bosun(['worker', ...args], {
      home: newFolder(),
      env: { REDIS_URL: 'redis://127.0.0.1:1' },
    });
    expect([code, err]).toEqual([2, expect.stringMatching(says)]);
  });
});
