export { type Carrier, type CourierParts, type CourierRows, usualMaxWaiting } from './carrier.js';
export { Courier } from './courier.js';
export type { OutgoingMessage, PostResult } from './outgoing-message.js';
export type { Limits } from './pace.js';
export { backOffMs } from './record-result.js';
