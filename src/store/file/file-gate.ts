// SQLite writes to a deleted file through its handle, so commits would succeed and be lost.
import { statSync } from 'node:fs';
import { BosunError, DamagedError, errnoOf, writeFailureOf } from '../../base/index.js';
import { restoreOrStartHint } from './sqlite-failure.js';

const suffixes = ['', '-wal', '-shm'] as const;

export interface FileGate {
  /** Records the files as they are now. `bytes`: the database's; a vacuum in the WAL leaves its file longer. */
  begin(bytes: number): void;
  /** Throws if gone or damaged. Microseconds unless the file changed; a checkpoint changes it once for many commits. */
  check(): void;
  note(error: unknown): void;
  /** A vacuum: the next checkpoints may cut the file to so many bytes. */
  mayShrink(bytes: number): void;
}

interface FileGateParts {
  /** Our own checkpoint changes the file; it is inspected afterwards. */
  readonly isWriting: () => boolean;
  /** Throws if the content is damaged. */
  readonly inspect: () => void;
  readonly onFailure: (error: unknown) => void;
}

export function fileGate(path: string, { inspect, isWriting, onFailure }: FileGateParts): FileGate {
  let files: KnownFiles = { look: () => 0n, mayShrink: () => undefined };
  let lookedAt = 0n;
  let damage: unknown = null;
  return {
    begin(bytes) {
      files = identifyFiles(path);
      lookedAt = files.look();
      if (statSync(path).size > bytes) files.mayShrink(BigInt(bytes));
    },
    check() {
      if (damage !== null) throw damage;
      const changedAt = files.look();
      if (changedAt === lookedAt || isWriting()) return;
      inspect();
      lookedAt = changedAt;
    },
    note(error) {
      if (writeFailureOf(error) === 'damaged') damage ??= error;
      onFailure(error);
    },
    mayShrink: (bytes) => files.mayShrink(BigInt(bytes)),
  };
}

interface KnownFiles {
  /** Throws once a file is gone; the database's mtime. */
  look(): bigint;
  mayShrink(bytes: bigint): void;
}

function identifyFiles(path: string): KnownFiles {
  const known = suffixes.map((suffix) => ({ file: `${path}${suffix}`, at: lookAt(`${path}${suffix}`) }));
  const length = fileLength();
  const look = () => {
    let changedAt = 0n;
    for (const { file, at } of known) {
      if (at === null) continue;
      const now = lookAt(file);
      if (now === null) throw gone(file, 'was deleted');
      if (now.ino !== at.ino || now.dev !== at.dev) throw gone(file, 'was replaced by another file');
      if (file !== path) continue;
      if (!length.mayBe(now.size)) throw gone(file, 'was truncated');
      changedAt = now.mtimeNs;
    }
    return changedAt;
  };
  return { look, mayShrink: length.mayShrink };
}

/** The database grows, and shrinks only by its own vacuum. */
function fileLength() {
  let size = 0n;
  /** Null: no vacuum waits for a checkpoint. */
  let least: bigint | null = null;
  return {
    mayBe(now: bigint): boolean {
      if (now < size && (least === null || now < least)) return false;
      if (now === least) least = null;
      size = now;
      return true;
    },
    mayShrink(bytes: bigint): void {
      least = least === null || bytes < least ? bytes : least;
    },
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
