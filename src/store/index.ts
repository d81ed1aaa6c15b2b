export { type CopyLook, checkCopy, keepEpoch, lookAtCopy } from './copy-check.js';
export { holdWriting } from './file/sole-writer.js';
export { restoreHint } from './file/sqlite-failure.js';
export type { Call, CallCounts, CallRows, NewCall } from './jobs/webhook-calls.js';
export type { ChannelRequest, OpenChannelRequest } from './messages/channel-requests.js';
export type * from './messages/deliveries.js';
export type { Block, FailedDelivery, LaneCounts } from './messages/deliveries.js';
export type { DeliveryEnds } from './messages/delivery-counts.js';

export type {
  Button,
  Inbound,
  InboundBody,
  InboxRow,
  Message,
  NewMessage,
  Thread,
  View,
} from './messages/message-types.js';
export { laneOf, placedThread } from './messages/thread-places.js';
export { type OpenOptions, openStore, type SqliteStore } from './open-store.js';
export type { BrowsingRows, RunFilter } from './runs/browsing.js';
export type { CountRows, RowCounts } from './runs/counts.js';
export { dayEnd } from './runs/day.js';
export type {
  AttemptRow,
  AttemptSpending,
  AuditBreak,
  NodeCost,
  Spending,
  Spine,
  StoredEvent,
  StoredRecord,
  Sum,
} from './runs/run-types.js';
export type { DaySpent } from './runs/spent-days.js';
export type * from './store.js';
export type { Store } from './store.js';
