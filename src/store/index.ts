export type { ArchiveRows } from './archive/archives.js';
export { type CopyLook, checkCopy, keepEpoch, lookAtCopy } from './copy-check.js';
export { holdWriting } from './file/sole-writer.js';
export { restoreHint } from './file/sqlite-failure.js';
export type { Call, CallCounts, CallRows, NewCall } from './jobs/webhook-calls.js';
export type { ChannelRequest, ChannelRequestRows, OpenChannelRequest } from './messages/channel-requests.js';
export type * from './messages/deliveries.js';
export type { Block, FailedDelivery, LaneCounts } from './messages/deliveries.js';
export type { DeliveryEndRows, DeliveryEnds } from './messages/delivery-counts.js';
export type { InboxRows } from './messages/inbox.js';

export type {
  Button,
  Inbound,
  InboundBody,
  InboxRow,
  Mention,
  Message,
  NewMessage,
  PictureRef,
  Thread,
  View,
} from './messages/message-types.js';
export type { MessageReader } from './messages/outbox.js';
export { isCarried, laneOf, placeOf, type ThreadCodec } from './messages/thread-places.js';
export type { ThreadReader } from './messages/threads.js';
export { type OpenOptions, openStore, type SqliteStore } from './open-store.js';
export type { BrowsingRows, RunFilter } from './runs/browsing.js';
export type { RecordReader } from './runs/chain-records.js';
export type { CountRows, RowCounts } from './runs/counts.js';
export { dayEnd } from './runs/day.js';
export type { HistoryReader } from './runs/history.js';
export type { PageRows } from './runs/paging.js';
export type { RunReader } from './runs/run-rows.js';
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
export type { SpendingReader } from './runs/spending.js';
export type { DaySpent } from './runs/spent-days.js';
export type * from './store.js';
