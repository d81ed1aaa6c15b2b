// Notices that the files of an open database are gone. SQLite keeps writing to a deleted file through its open handle, so
// every commit would succeed and be lost with the process.
import { statSync } from 'node:fs';
import { DamagedError, writeFailureOf } from './failure.js';

const suffixes = ['', '-wal', '-shm'] as const;
const mend = 'Put a backup of bosun.db in its place, or start without one to begin anew.';

export interface FileGate {
  /** The files are there from now on. */
  begin(): void;
  /** Throws once a file is gone. Costs some microseconds. */
  check(): void;
  /** The same, and looks into the file if it has changed since the last look. */
  inspect(look: () => void): void;
  note(error: unknown): void;
  /** Throws what is wrong with the file, once that is known. */
  refuse(): void;
}

export function fileGate(path: string, onFailure: (error: unknown) => void = () => undefined): FileGate {
  let look: () => bigint = () => 0n;
  let lookedAt = 0n;
  let damage: unknown = null;
  const refuse = () => {
    if (damage !== null) throw damage;
  };
  return {
    refuse,
    begin() {
      look = identifyFiles(path);
      lookedAt = look();
    },
    check() {
      refuse();
      look();
    },
    inspect(inside) {
      refuse();
      const changedAt = look();
      if (changedAt === lookedAt) return;
      inside();
      lookedAt = changedAt;
    },
    note(error) {
      if (writeFailureOf(error) === 'damaged') damage ??= error;
      onFailure(error);
    },
  };
}

/** The files as they are now. The result throws once one of them is gone, and gives when the database file last changed. */
function identifyFiles(path: string): () => bigint {
  const known = suffixes.map((suffix) => ({ file: `${path}${suffix}`, at: lookAt(`${path}${suffix}`) }));
  let size = 0n;
  return () => {
    let changedAt = 0n;
    for (const { file, at } of known) {
      if (at === null) continue;
      const now = lookAt(file);
      if (now === null) throw gone(file, 'was deleted');
      if (now.ino !== at.ino || now.dev !== at.dev) throw gone(file, 'was replaced by another file');
      if (file !== path) continue;
      // Bosun never shrinks its database.
      if (now.size < size) throw gone(file, 'was cut short');
      size = now.size;
      changedAt = now.mtimeNs;
    }
    return changedAt;
  };
}

function gone(file: string, how: string): DamagedError {
  return new DamagedError(`${file} ${how} while Bosun was running; Bosun writes nothing more to it`, { hint: mend });
}

/** Null: it is not there. A folder that cannot be read says nothing about the file. */
function lookAt(file: string) {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
