// One file per attempt. In the home, because checkpoints are useless elsewhere.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Home, homeFolder } from '../../config/index.js';
import { type Checkpoint, checkpointSchema } from '../../workspace/index.js';
import type { EarlierTries } from './measure.js';

export interface BeforeAttempt {
  readonly checkpoint: Checkpoint | null;
  readonly tries: EarlierTries | null;
}

export interface AttemptNotes {
  writeBefore(attempt: string, before: BeforeAttempt): void;
  readBefore(attempt: string): BeforeAttempt;
  writeCheckpoint(attempt: string, checkpoint: Checkpoint): void;
  readCheckpoint(attempt: string): Checkpoint | null;
  forget(attempt: string): void;
  keep(attempts: ReadonlySet<string>): void;
}

const maxFileChars = 4 * 1024 * 1024;
const nothing: BeforeAttempt = { checkpoint: null, tries: null };
const ends = { before: '.before.json', checkpoint: '.checkpoint.json' } as const;
const beforeSchema = z.object({
  checkpoint: checkpointSchema.nullable(),
  tries: z.object({ before: checkpointSchema, files: z.array(z.string().max(4_096)).max(100_000) }).nullable(),
});

export function attemptNotes(home: Pick<Home, 'dir'>): AttemptNotes {
  const folder = () => homeFolder(home, 'attempts');
  const pathOf = (attempt: string, kind: keyof typeof ends) => join(folder(), nameOf(attempt) + ends[kind]);

  return {
    writeBefore(attempt, before) {
      if (before.checkpoint !== null || before.tries !== null) write(pathOf(attempt, 'before'), before);
    },
    readBefore: (attempt) => read(pathOf(attempt, 'before'), beforeSchema) ?? nothing,
    writeCheckpoint: (attempt, checkpoint) => write(pathOf(attempt, 'checkpoint'), checkpoint),
    readCheckpoint: (attempt) => read(pathOf(attempt, 'checkpoint'), checkpointSchema),
    forget(attempt) {
      for (const kind of ['before', 'checkpoint'] as const) rmSync(pathOf(attempt, kind), { force: true });
    },
    keep(attempts) {
      const names = new Set([...attempts].map(nameOf));
      for (const file of readdirSync(folder())) {
        const end = Object.values(ends).find((one) => file.endsWith(one)) ?? '';
        if (!names.has(file.slice(0, file.length - end.length))) rmSync(join(folder(), file), { force: true });
      }
    },
  };
}

/** Security: an id is no safe file name. */
function nameOf(attempt: string): string {
  return attempt.replaceAll(/[^\w.-]/g, '_').slice(0, 200);
}

/** Atomic: another process may read at any moment. */
function write(path: string, value: unknown): void {
  const draft = `${path}.part`;
  writeFileSync(draft, JSON.stringify(value), { mode: 0o600 });
  renameSync(draft, path);
}

function read<T>(path: string, schema: z.ZodType<T>): T | null {
  try {
    const text = readFileSync(path, 'utf8');
    return text.length > maxFileChars ? null : (schema.safeParse(JSON.parse(text)).data ?? null);
  } catch {
    // Missing, or cut by a crash: no checkpoint.
    return null;
  }
}
