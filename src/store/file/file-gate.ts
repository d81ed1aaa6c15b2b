// SQLite would keep writing to a deleted file through its handle: commits would succeed and be lost.
import { statSync } from 'node:fs';
import { BosunError, DamagedError, errnoOf, writeFailureOf } from '../../base/index.js';
import { restoreOrStartHint } from './sqlite-failure.js';

const suffixes = ['', '-wal', '-shm'] as const;

export interface FileGate {
  /** `bytes`: of the database; the file is longer while a vacuum is still in the WAL. */
  begin(bytes: number): void;
  /**
   * Throws if the file is gone or damaged. Takes microseconds unless it changed; a checkpoint changes it once for many
   * commits.
   */
  check(): void;
  note(error: unknown): void;
  /** After a vacuum the next checkpoints may cut the file to this size. */
  mayShrink(bytes: number): void;
}

interface FileGateParts {
  /** Our own checkpoint is changing the file: inspect it afterwards. */
  readonly isWriting: () => boolean;
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
  /** Throws once a file is gone. Returns the database's mtime. */
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

/** Only our own vacuum shrinks the database. */
function fileLength() {
  let size = 0n;
  /** Null: no vacuum awaits a checkpoint. */
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

/** Null only if the file does not exist: EACCES or EIO prove nothing and are thrown. */
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
