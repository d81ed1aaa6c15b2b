export type { Lease } from './lease.js';
export { lookAtLease } from './look.js';
export { endReplicationOf, type Replication, replicate } from './replicate.js';
export { takeLease } from './take.js';
