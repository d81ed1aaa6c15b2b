// US-002: passes everywhere at the first try.

export const discounts = {
  key: 'US-002',
  title: 'Discount codes',
  next: null,
  done: 'a percentage is taken off a total.',
  clarification: null,
  question: null,
  scenarios: [
    {
      title: 'A code lowers the total',
      given: 'a code of 10 %',
      when: 'a total of 2000 is paid',
      must: 'it MUST cost 1800',
    },
    {
      title: 'A wrong percentage is refused',
      given: 'a code of 101 %',
      when: 'it is used',
      must: 'that MUST be refused',
    },
  ],
  delta: { ADDED: ['`src/discounts.js`: applyDiscount'], MODIFIED: [], REMOVED: [] },
  endpoint: {
    path: '/discounts/{code}',
    lines: [
      'get:',
      '  summary: What a code takes off',
      '  parameters:',
      '    - { name: code, in: path, required: true, schema: { type: string } }',
      '  responses:',
      "    '200':",
      '      description: The percentage',
    ],
  },
  scaffoldFiles: ['src/discounts.js', 'test/discounts.test.js'],
  scaffold: ({ words }) => ({ 'src/discounts.js': stubCode, 'test/discounts.test.js': said(words) + testCode }),
  impl: ({ words }) => ({ 'src/discounts.js': said(words) + code }),
};

function said(words) {
  return words ? `// A person said: ${words}\n` : '';
}

const stubCode = `export function applyDiscount() {
  throw new Error('applyDiscount is not written yet');
}
`;

const code = `/** Takes a percentage off; the customer gains the odd cent. */
export function applyDiscount(cents, percent) {
  if (!(percent >= 0 && percent <= 100)) throw new RangeError(\`percent must be 0 to 100, got \${percent}\`);
  return Math.floor((cents * (100 - percent)) / 100);
}
`;

const testCode = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyDiscount } from '../src/discounts.js';

test('a code lowers the total', () => {
  assert.equal(applyDiscount(2000, 10), 1800);
});

test('the customer gains the odd cent', () => {
  assert.equal(applyDiscount(999, 10), 899);
});

test('a wrong percentage is refused', () => {
  assert.throws(() => applyDiscount(2000, 101), RangeError);
});
`;
