export type { DeliveryRows, OpenDelivery } from '../store/index.js';
export { laneOf } from '../store/index.js';
export { backOffMs } from './back-off.js';
export type { Carrier, CourierParts, CourierRows } from './carrier.js';
export { type Clock, machineClock } from './clock.js';
export { Courier } from './courier.js';
export type { Limits } from './pace.js';
export type { Parcel, Posted } from './parcel.js';
