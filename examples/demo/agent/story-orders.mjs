// US-001: fails once, asks once, and takes in what people say.

const DEFAULT_SECONDS = 60;

export const orders = {
  key: 'US-001',
  title: 'Order history',
  next: 'US-002 Discount codes',
  done: 'carts become orders, orders are listed by date, empty carts are forgotten.',
  clarification: 'How long may an empty cart be remembered?',
  question: 'Should orders be sorted newest first?',
  scenarios: [
    {
      title: 'A cart becomes an order',
      given: 'a cart with items',
      when: 'it is ordered',
      must: 'the history MUST hold it',
    },
    { title: 'An empty cart is refused', given: 'an empty cart', when: 'it is ordered', must: 'that MUST be refused' },
    {
      title: 'Orders are listed by date',
      given: 'three orders',
      when: 'they are listed',
      must: 'they MUST be sorted by date',
    },
    {
      title: 'An empty cart is forgotten',
      given: 'an empty cart',
      when: 'it was left alone for a while',
      must: 'it MUST be forgotten',
    },
  ],
  delta: {
    ADDED: ['`src/orders.js`: placeOrder, listOrders, isForgotten', '`src/order-settings.js`: what people decided'],
    MODIFIED: [],
    REMOVED: [],
  },
  endpoint: {
    path: '/orders',
    lines: [
      'get:',
      '  summary: Past orders, sorted by date',
      '  responses:',
      "    '200':",
      '      description: The orders',
    ],
  },
  scaffoldFiles: ['src/order-settings.js', 'src/orders.js', 'test/orders.test.js'],
  scaffold: ({ words, seconds }) => ({
    'src/order-settings.js': settingsCode(words, seconds),
    'src/orders.js': stubCode,
    'test/orders.test.js': testCode(seconds ?? DEFAULT_SECONDS),
  }),
  firstTry: () => ({ 'src/orders.js': ordersCode({ head: '', list: 'return [...history];' }) }),
  impl: ({ words }) => finished(words),
};

function finished(answer) {
  const saysOldest = /\boldest\b/i.test(answer ?? '') && !/\bnewest\b/i.test(answer ?? '');
  const newestFirst = !saysOldest && !/^no\b/i.test(answer ?? '');
  const source = answer
    ? `// Asked: ${orders.question} Answered:\nexport const SORT_ANSWER = ${JSON.stringify(answer)};\n`
    : '// Nobody said which way to sort; newest first is an assumption.\n';
  const list = `return [...history].sort((a, b) => ${newestFirst ? 'b.at - a.at' : 'a.at - b.at'});`;
  return {
    'src/orders.js': ordersCode({ head: `\n${source}`, list }),
    'test/orders-direction.test.js': directionTest(newestFirst),
  };
}

function settingsCode(words, seconds) {
  const why = words ? `// Said at the review: ${JSON.stringify(words)}` : '// Nobody added anything at the review.';
  const assumed = seconds === null ? ' // an assumption' : '';
  return `${why}\nexport const EMPTY_CART_SECONDS = ${seconds ?? DEFAULT_SECONDS};${assumed}\n`;
}

const stubCode = `export function placeOrder() {
  throw new Error('placeOrder is not written yet');
}

export function listOrders() {
  throw new Error('listOrders is not written yet');
}

export function isForgotten() {
  throw new Error('isForgotten is not written yet');
}
`;

function ordersCode({ head, list }) {
  return `import { isEmpty, totalCents } from './cart.js';
import { EMPTY_CART_SECONDS } from './order-settings.js';
${head}
export function placeOrder(history, cart, at) {
  if (isEmpty(cart)) throw new RangeError('an empty cart cannot be ordered');
  return [...history, { at, items: cart.items, totalCents: totalCents(cart) }];
}

export function listOrders(history) {
  ${list}
}

export function isForgotten(cart, idleSeconds) {
  return isEmpty(cart) && idleSeconds >= EMPTY_CART_SECONDS;
}
`;
}

function testCode(seconds) {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addItem, createCart } from '../src/cart.js';
import { isForgotten, listOrders, placeOrder } from '../src/orders.js';

const cart = addItem(createCart(), { name: 'tea', cents: 450, count: 2 });
const place = (...times) => times.reduce((history, at) => placeOrder(history, cart, at), []);

test('a cart with items becomes an order', () => {
  assert.deepEqual(placeOrder([], cart, 7), [{ at: 7, items: cart.items, totalCents: 900 }]);
});

test('an empty cart cannot be ordered', () => {
  assert.throws(() => placeOrder([], createCart(), 7), /empty cart/);
});

test('placing an order leaves the old history as it was', () => {
  const before = place(1);
  placeOrder(before, cart, 2);
  assert.equal(before.length, 1);
});

test('orders are listed by date', () => {
  const times = listOrders(place(2, 1, 3)).map((order) => order.at).join();
  assert.ok(['1,2,3', '3,2,1'].includes(times), \`listed as \${times}\`);
});

test('an empty cart is forgotten after ${seconds} seconds', () => {
  assert.equal(isForgotten(createCart(), ${seconds - 1}), false);
  assert.equal(isForgotten(createCart(), ${seconds}), true);
});

test('a cart with items is never forgotten', () => {
  assert.equal(isForgotten(cart, ${seconds}), false);
});
`;
}

function directionTest(newestFirst) {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addItem, createCart } from '../src/cart.js';
import { listOrders, placeOrder } from '../src/orders.js';

test('the ${newestFirst ? 'newest' : 'oldest'} order comes first', () => {
  const cart = addItem(createCart(), { name: 'tea', cents: 450 });
  const history = placeOrder(placeOrder([], cart, 1), cart, 2);
  assert.equal(listOrders(history)[0].at, ${newestFirst ? 2 : 1});
});
`;
}
