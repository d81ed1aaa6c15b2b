// SQLite writes to a deleted file through its handle, so commits would succeed and be lost.
import { statSync } from 'node:fs';
import { BosunError, DamagedError, errnoOf, writeFailureOf } from '../../base/index.js';
import { restoreOrStartHint } from './sqlite-failure.js';

const suffixes = ['', '-wal', '-shm'] as const;

export interface FileGate {
  /** Records the files as they are now. */
  begin(): void;
  /** Throws if gone or damaged. Microseconds unless the file changed; a checkpoint changes it once for many commits. */
  check(): void;
  note(error: unknown): void;
}

interface FileGateParts {
  /** Our own checkpoint changes the file; it is inspected afterwards. */
  readonly isWriting: () => boolean;
  /** Throws if the content is damaged. */
  readonly inspect: () => void;
  readonly onFailure: (error: unknown) => void;
}

export function fileGate(path: string, { inspect, isWriting, onFailure }: FileGateParts): FileGate {
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
      if (changedAt === lookedAt || isWriting()) return;
      inspect();
      lookedAt = changedAt;
    },
    note(error) {
      if (writeFailureOf(error) === 'damaged') damage ??= error;
      onFailure(error);
    },
  };
}

/** The result throws once a file is gone, and returns the database's mtime. */
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
      // Bosun never shrinks it.
      if (now.size < size) throw gone(file, 'was truncated');
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

/** Null if the file does not exist. Another failure, such as EACCES or EIO, does not prove that, and is thrown. */
function lookAt(file: string) {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch (cause) {
    if (errnoOf(cause) === 'ENOTDIR') return null;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BosunError('disk', `${file} cannot be checked: ${why}`, {
      hint: 'Check that the disk works and that Bosun can read the folder.',
      cause,
    });
  }
}
