// `workflow_edits/<item>.json`, removed once read. After a crash the next try asks anew, so a file found at the start
// is stale.
import { copyFileSync, lstatSync, realpathSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInside, ownFolder } from '../../base/index.js';
import { type Edits, parseEdits } from '../../engine/index.js';
import type { AttemptSpec } from '../../jobs/index.js';
import { attemptPaths, baseOf } from '../processes/environment.js';
import { readFileWithin } from '../processes/safe-read.js';

export interface TakenEdits {
  readonly edits: Edits | null;
  readonly warning: string | null;
}

export function setAsideEdits(spec: AttemptSpec): string | null {
  const target = join(spec.sharedDir, 'stale', `${spec.attempt}-edits.json`);
  const { editsFolder, editsFile } = attemptPaths(spec);
  switch (setAside(editsFolder, editsFile, target, baseOf(spec, target))) {
    case 'absent':
      return null;
    case 'foreign':
      return `the folder workflow_edits leads outside ${editsFolder}: Bosun did not touch the edits file in it`;
    case 'moved':
      return 'moved the edits file of an earlier attempt away';
  }
}

/** A failed attempt's edits are archived unread. */
export function takeEdits(spec: AttemptSpec, hasEndedWell: boolean): TakenEdits {
  const taken = readEdits(spec, hasEndedWell);
  try {
    rmdirSync(dirname(attemptPaths(spec).editsFile));
  } catch {
    // It holds foreign files, or is a link.
  }
  return taken;
}

function readEdits(spec: AttemptSpec, hasEndedWell: boolean): TakenEdits {
  const { editsFolder, editsFile } = attemptPaths(spec);
  const file = readFileWithin(editsFolder, editsFile);
  if (file.type === 'absent') return { edits: null, warning: null };
  const warning = keep(spec, hasEndedWell ? '.json' : '.discarded.json');
  if (!hasEndedWell) return { edits: null, warning: warning ?? 'its edits were discarded, because it did not pass' };
  if (file.type === 'refused') return { edits: { ok: false, error: `All edits were refused: ${file.why}` }, warning };
  return { edits: parseEdits(file.text), warning };
}

function keep(spec: AttemptSpec, ending: string): string | null {
  const { editsFolder, editsFile } = attemptPaths(spec);
  try {
    const target = join(spec.sharedDir, 'edits', `${spec.attempt}${ending}`);
    setAside(editsFolder, editsFile, target, baseOf(spec, target));
    return null;
  } catch (error) {
    return `cannot keep the edits in ${spec.sharedDir}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const maxCopiedBytes = 16 * 1024 * 1024;

export type SetAside = 'absent' | 'foreign' | 'moved';

/** Refuses a file whose folder is a link out. `base` belongs to the target. */
export function setAside(workdir: string, file: string, target: string, base: string): SetAside {
  const facts = lstatSync(file, { throwIfNoEntry: false });
  if (facts === undefined) return 'absent';
  if (!isInside(realpathSync(workdir), realpathSync(dirname(file)))) return 'foreign';
  ownFolder(base, dirname(target));
  rmSync(target, { recursive: true, force: true });
  try {
    renameSync(file, target);
  } catch {
    // Another file system: copies a plain file, drops anything else.
    if (facts.isFile() && facts.size <= maxCopiedBytes) copyFileSync(file, target);
    rmSync(file, { recursive: true, force: true });
  }
  return 'moved';
}
