export { backOffMs } from './back-off.js';
export type { Carrier, CourierParts, CourierRows } from './carrier.js';

export { Courier } from './courier.js';
export type { Limits } from './pace.js';
export type { Parcel, Posted } from './parcel.js';
