// Notices that the files of an open database are gone. SQLite keeps writing to a deleted file through its open handle, so
// every commit would succeed and be lost with the process.
import { statSync } from 'node:fs';
import { DamagedError, writeFailureOf } from '../../base/index.js';
import { restoreOrStartHint } from './sqlite-failure.js';

const suffixes = ['', '-wal', '-shm'] as const;

export interface FileGate {
  /** The files are there from now on. */
  begin(): void;
  /**
   * Throws once a file is gone or damaged. Costs some microseconds, unless the file has changed since the last look:
   * a checkpoint does that once for many commits, and so does anything else that writes to it.
   */
  check(): void;
  note(error: unknown): void;
}

interface FileGateParts {
  /** Throws where the file is not what was written to it. */
  readonly inspect: () => void;
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

export function fileGate(path: string, { inspect, onFailure = () => undefined }: FileGateParts): FileGate {
  let look: () => bigint = () => 0n;
  let lookedAt = 0n;
  let damage: unknown = null;
  return {
    begin() {
      look = identifyFiles(path);
      lookedAt = look();
    },
    check() {
      if (damage !== null) throw damage;
      const changedAt = look();
      if (changedAt === lookedAt) return;
      inspect();
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
  return new DamagedError(`${file} ${how} while Bosun was running; Bosun writes nothing more to it`, {
    hint: restoreOrStartHint,
  });
}

/** Null: it is not there. A folder that cannot be read says nothing about the file. */
function lookAt(file: string) {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
