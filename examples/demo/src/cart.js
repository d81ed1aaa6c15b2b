// A cart is plain data; amounts are whole cents.

export function createCart() {
  return { items: [] };
}

export function addItem(cart, { name, cents, count = 1 }) {
  if (!Number.isInteger(cents) || cents < 0) throw new RangeError(`cents must be a whole number, got ${cents}`);
  if (!Number.isInteger(count) || count < 1) throw new RangeError(`count must be 1 or more, got ${count}`);
  return { items: [...cart.items, { name, cents, count }] };
}

export function totalCents(cart) {
  return cart.items.reduce((sum, item) => sum + item.cents * item.count, 0);
}

export function isEmpty(cart) {
  return cart.items.length === 0;
}
