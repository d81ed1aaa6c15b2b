// Notices that the files of an open database are gone. SQLite keeps writing to a deleted file through its open handle, so
// every commit would succeed and be lost with the process.
import { statSync } from 'node:fs';
import { DamagedError, writeFailureOf } from './failure.js';

const suffixes = ['', '-wal', '-shm'] as const;
const mend = 'Put a backup of bosun.db in its place, or start without one to begin anew.';

export interface FileGate {
  /** The files are there from now on. */
  begin(): void;
  check(): void;
  note(error: unknown): void;
  /** Throws what is wrong with the file, once that is known. */
  refuse(): void;
}

export function fileGate(path: string, onFailure: (error: unknown) => void = () => undefined): FileGate {
  let look: () => void = () => undefined;
  let damage: unknown = null;
  const refuse = () => {
    if (damage !== null) throw damage;
  };
  return {
    refuse,
    begin() {
      look = identifyFiles(path);
    },
    check() {
      refuse();
      look();
    },
    note(error) {
      if (writeFailureOf(error) === 'damaged') damage ??= error;
      onFailure(error);
    },
  };
}

/** The files as they are now, right after opening. The result throws once one of them is not there any more. */
function identifyFiles(path: string): () => void {
  const known = suffixes.map((suffix) => ({ file: `${path}${suffix}`, at: lookAt(`${path}${suffix}`) }));
  let size = 0n;
  return () => {
    for (const { file, at } of known) {
      if (at === null) continue;
      const now = lookAt(file);
      if (now === null) throw gone(file, 'was deleted');
      if (now.ino !== at.ino || now.dev !== at.dev) throw gone(file, 'was replaced by another file');
      if (file !== path) continue;
      // Bosun never shrinks its database.
      if (now.size < size) throw gone(file, 'was cut short');
      size = now.size;
    }
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
