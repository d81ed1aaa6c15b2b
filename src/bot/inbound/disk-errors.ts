import { BosunError } from '../../base/index.js';

/** What a disk does may pass; anything else fails again. */
export function isOfDisk(error: unknown): boolean {
  return error instanceof BosunError && (error.code === 'disk' || error.code === 'bad_database');
}
