import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addItem, createCart, isEmpty, totalCents } from '../src/cart.js';

test('a new cart is empty', () => {
  assert.equal(isEmpty(createCart()), true);
});

test('the total counts every piece', () => {
  const cart = addItem(addItem(createCart(), { name: 'tea', cents: 450, count: 2 }), { name: 'cup', cents: 1200 });
  assert.equal(totalCents(cart), 2100);
});

test('adding leaves the old cart as it was', () => {
  const before = createCart();
  addItem(before, { name: 'tea', cents: 450 });
  assert.equal(isEmpty(before), true);
});

test('a broken price is refused', () => {
  assert.throws(() => addItem(createCart(), { name: 'tea', cents: 4.5 }), RangeError);
});
