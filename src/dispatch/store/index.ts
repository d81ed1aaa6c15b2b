export type { BrowsingRows, RunFilter } from './browsing.js';
export type { Call, CallCounts, CallRows, NewCall } from './calls.js';
export { type CopyLook, checkCopy, keepEpoch, lookAtCopy } from './copy.js';
export type { Counted, CountRows } from './counts.js';
export { dayEnd } from './day.js';
export type * from './deliveries.js';
export type { DeliveryEnds } from './delivery-ends.js';
export { restoreHint } from './failure.js';

export type { Button, Inbound, InboundBody, InboxRow, Message, NewMessage, Thread, View } from './message-types.js';
export { type OpenOptions, openStore, type SqliteStore } from './open.js';
export { laneOf, placedThread } from './places.js';
export type * from './port.js';
export type {
  AttemptRow,
  AuditBreak,
  NodeCost,
  Spending,
  Spent,
  Spine,
  StoredEvent,
  StoredRecord,
  Sum,
} from './run-types.js';
export { holdWriting } from './sole-writer.js';
export type { DaySpent } from './spent-days.js';
export type { OpenWant, Want } from './wants.js';
