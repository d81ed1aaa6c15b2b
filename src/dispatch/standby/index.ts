export { lookAtLease } from './inspect-lease.js';
export type { Lease } from './lease.js';
export { endReplicationOf, type Replication, replicate } from './replicate.js';
export { takeLease } from './take-over.js';
