export type { Carrier, CourierParts, CourierRows } from './carrier.js';
export { Courier } from './courier.js';
export type { OutgoingMessage, PostResult } from './outgoing-message.js';
export type { Limits } from './pace.js';
export { backOffMs } from './record-result.js';
