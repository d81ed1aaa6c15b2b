// The stories that the script knows. A task without a story is played as the first one.
import { discounts } from './story-discounts.mjs';
import { orders } from './story-orders.mjs';
import { otherStory } from './story-other.mjs';

export function findStory(item) {
  if (item === '' || item === orders.key) return orders;
  return item === discounts.key ? discounts : otherStory(item);
}
