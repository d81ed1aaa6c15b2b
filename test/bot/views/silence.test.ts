import { expect, it } from 'vitest';
import { stallView } from '../../../src/bot/views/working.js';

const sign = { at: 1, line: '', action: '', text: '', tokensIn: 0, tokensOut: 0, costUsd: null, silentMs: 600_000 };
const about = { project: 'shop', chain: '', work: 'Order history', step: 'Implementation' };
const stall = { attempt: 'a', run: 'r1', about, number: 1, kind: 'silent' } as const;
const nothing = 'It said nothing yet.';

it.each([
  ['has only begun', {}, [nothing]],
  [
    'waits for its provider',
    { action: 'waits to try again: overloaded' },
    ['It waits to try again: overloaded', nothing],
  ],
  ['did something', { action: 'Bash: npm test', text: 'Now.' }, ['Last action: Bash: npm test', 'Last words: Now.']],
])('the stall alarm of an agent that %s shows its last activity', (_what, did, lines) => {
  expect(
    stallView({ ...stall, sign: { ...sign, ...did } })
      .text.split('\n')
      .slice(2),
  ).toEqual(lines);
});
