import { BosunError } from '../../base/index.js';

/** Whether a retry may help: disk and database errors can pass, any other error would repeat. */
export function isOfDisk(error: unknown): boolean {
  return error instanceof BosunError && (error.code === 'disk' || error.code === 'bad_database');
}
