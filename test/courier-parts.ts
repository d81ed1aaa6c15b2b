// What a courier asks besides its carrier and its rows: this Bosun is the active one, and its lanes are of usual length.
import { type CourierParts, usualMaxWaiting } from '../src/bot/delivery/index.js';

export const courierParts: Pick<CourierParts, 'isActive' | 'maxWaiting'> = {
  isActive: () => true,
  maxWaiting: usualMaxWaiting,
};
