export type { BrowsingRows, DaySpent, RunFilter } from './browsing.js';
export type { Call, CallCounts, CallRows, NewCall } from './calls.js';
export type * from './deliveries.js';
export type { Claim, JobRows, LeasedJob, QueuedJob } from './jobs.js';
export { type OpenOptions, openStore, type SqliteStore } from './open.js';
export { laneOf, placedThread } from './places.js';
export type * from './port.js';
export type { OpenWant, Want } from './wants.js';
