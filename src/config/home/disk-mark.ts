// Identifies this home's disk among machines that share its secret and maybe its database.
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Home } from './home.js';
import { keepText, keptText } from './small-files.js';

type Folder = Pick<Home, 'dir'>;

/** Null: no mark of this disk. The inode reveals a copied home. */
export function diskMark(home: Folder): string | null {
  const kept = keptText(home, 'disk-mark');
  return kept?.endsWith(` ${inode(home)}`) ? kept : null;
}

/** Only under the home's lock. */
export function drawnDiskMark(home: Folder): string {
  const kept = diskMark(home);
  if (kept !== null) return kept;
  const mark = `${randomBytes(9).toString('hex')} ${inode(home)}`;
  keepText(home, 'disk-mark', mark);
  return mark;
}

function inode({ dir }: Folder): number {
  return statSync(dir).ino;
}
