// Keeps trial verdicts in the home, by program, settings and project. A new program version gets a new trial.
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { z } from 'zod';
import { type Environment, replaceFile } from '../../../base/index.js';
import { programIn } from '../../processes/seat-process.js';
import type { AgentSeat } from '../port.js';
import { runOf } from './handshake.js';
import type { Verdict } from './trial.js';

const maxNotes = 200;

const notes = z.record(z.string(), z.object({ verdict: z.enum(['asks', 'ran', 'disobeyed']), at: z.number() }));

export type TrialNotes = z.infer<typeof notes>;

/** Covers the program's files, arguments, model, environment, wrap and project. */
export function trialKey(seat: AgentSeat, environment: Environment): string {
  const { executor, root } = seat;
  const { model, args, env, passEnv, wrap } = executor;
  const run = runOf(executor);
  const files = [programIn(seat, run[0]), ...run.slice(1), ...args].map((word, at) =>
    fileFacts(seat.workdir, word, at === 0 ? (env['PATH'] ?? environment['PATH'] ?? '') : null),
  );
  const whole = JSON.stringify([
    1,
    run,
    args,
    model,
    Object.entries(env).sort(),
    [...passEnv].sort(),
    wrap,
    root,
    files,
  ]);
  return createHash('sha256').update(whole).digest('hex');
}

export function readVerdict(home: string | null, key: string): Verdict | null {
  const found = read(home);
  return Object.hasOwn(found, key) ? (found[key]?.verdict ?? null) : null;
}

export function writeVerdict(home: string | null, key: string, verdict: Verdict, at: number): void {
  if (home === null) return;
  const others = Object.entries(read(home)).filter(([other]) => other !== key);
  const newest = others.sort(([, one], [, other]) => other.at - one.at).slice(0, maxNotes - 1);
  const kept = { ...Object.fromEntries(newest), [key]: { verdict, at } };
  try {
    replaceFile(pathIn(home), `${JSON.stringify(kept, null, 1)}\n`);
  } catch {
    // Best effort: the next attempt tries again.
  }
}

function read(home: string | null): TrialNotes {
  if (home === null) return {};
  try {
    return notes.parse(JSON.parse(readFileSync(pathIn(home), 'utf8')));
  } catch {
    // Missing or damaged: the next trial rewrites it.
    return {};
  }
}

function pathIn(home: string): string {
  return join(home, 'acp-trials.json');
}

/** Null: no such file. `path`: folders to search. */
function fileFacts(workdir: string, word: string, path: string | null): readonly (string | number)[] | null {
  const folders = path === null || word.includes('/') ? [workdir] : path.split(delimiter).filter((one) => one !== '');
  for (const folder of folders) {
    try {
      const real = realpathSync(resolve(folder, word));
      const { size, mtimeMs, ino } = statSync(real);
      if (statSync(real).isFile()) return [real, size, mtimeMs, ino];
    } catch {
      // Not in this folder.
    }
  }
  return null;
}
