// What the scripted model does in the steps of the tests: the code of the small project, wrong first and then right.
import { type Move, read, type Talk, write } from './model/talk.js';

interface Report {
  readonly step: string;
  readonly story?: string;
  readonly status?: string;
  readonly summary?: string;
}

/** A file that may be there already is read first, as careful agents insist. */
export function put(path: string, text: string): readonly Move[] {
  return [read(path), write(path, text)];
}

export function handoff({ step, story = 'shop', status = 'pass', summary }: Report): readonly Move[] {
  const front = [`story: ${story}`, `step: ${step}`, `status: ${status}`, ...(summary ? [`summary: ${summary}`] : [])];
  return put('.ai/HANDOFF.md', `---\n${front.join('\n')}\n---\n${summary ?? 'It is done.'}\n`);
}

export const wrongCode = 'exports.total = () => 4;\n';
export const rightCode = 'exports.total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n';

export const moreTests = `const { test } = require('node:test');
const assert = require('node:assert');
const { total } = require('../src/cart.ts');
test('an empty cart costs nothing', () => assert.equal(total([]), 0));
test('a cart costs what is in it', () => assert.equal(total([2, 3]), 5));
`;

/** Whether it is told of a try that went wrong. */
export function isAgain({ prompt }: Talk): boolean {
  return prompt.includes('## The attempt before this one');
}
