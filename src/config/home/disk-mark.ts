// Tells the disk that a home is on from those of other machines that have the same secret, and maybe a database, too.
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Home } from './home.js';
import { keepText, keptText } from './small-files.js';

type Folder = Pick<Home, 'dir'>;

/** Null: no Bosun has drawn one here. A home that was copied as a whole is another folder, and has none. */
export function diskMark(home: Folder): string | null {
  const kept = keptText(home, 'disk-mark');
  return kept?.endsWith(` ${inode(home)}`) ? kept : null;
}

/** The same for as long as the folder is; for whoever has the home's lock. */
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
