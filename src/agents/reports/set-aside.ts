// Takes a file that an agent left out of the working directory and keeps it in the shared folder.
import { copyFileSync, lstatSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { ownFolder } from '../../base/index.js';
import { isWithin } from '../processes/safe-read.js';

const MAX_COPIED_BYTES = 16 * 1024 * 1024;

export type SetAside = 'absent' | 'foreign' | 'moved';

/** Afterwards the file is not there, unless its folder is a link to somebody else's. `base`: of the target. */
export function setAside(workdir: string, file: string, target: string, base: string): SetAside {
  const facts = lstatSync(file, { throwIfNoEntry: false });
  if (facts === undefined) return 'absent';
  if (!isWithin(realpathSync(workdir), realpathSync(dirname(file)))) return 'foreign';
  ownFolder(base, dirname(target));
  rmSync(target, { recursive: true, force: true });
  try {
    renameSync(file, target);
  } catch {
    // Another file system: a plain file can be copied there, and nothing else is worth keeping.
    if (facts.isFile() && facts.size <= MAX_COPIED_BYTES) copyFileSync(file, target);
    rmSync(file, { recursive: true, force: true });
  }
  return 'moved';
}
