// `workflow_edits/<item>.json`: what an executor wants changed in the rest of its chain. Read once, never twice.
//
// The file is taken away as soon as it is read: from there on the envelope carries the edits. When Bosun dies before
// the envelope is on record, the attempt counts as interrupted and its edits go with it; the try that follows asks for
// its own. So a file that lies there at the start of an attempt is never this attempt's.
import { copyFileSync, lstatSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownFolder } from '../../base/index.js';
import { type Edits, parseEdits } from '../../engine/index.js';
import type { AttemptSpec } from '../../jobs/index.js';
import { attemptPaths, baseOf } from '../processes/environment.js';
import { isWithin, readFileWithin } from '../processes/safe-read.js';

export interface TakenEdits {
  /** null: it asked for no change. */
  readonly edits: Edits | null;
  readonly warning: string | null;
}

/** Moves a file of edits that an earlier attempt left into the shared folder; says so, or null without one. */
export function setAsideEdits(spec: AttemptSpec): string | null {
  const target = join(spec.sharedDir, 'stale', `${spec.attempt}-edits.json`);
  const { editsFolder, editsFile } = attemptPaths(spec);
  switch (setAside(editsFolder, editsFile, target, baseOf(spec, target))) {
    case 'absent':
      return null;
    case 'foreign':
      return `the folder workflow_edits leads outside ${editsFolder}: a file of edits in it was left alone`;
    case 'moved':
      return 'a file of edits of an earlier attempt was taken away';
  }
}

/** Reads the edits and keeps the file; those of an attempt that did not end well are kept unread. */
export function takeEdits(spec: AttemptSpec, hasEndedWell: boolean): TakenEdits {
  const { editsFolder, editsFile } = attemptPaths(spec);
  const file = readFileWithin(editsFolder, editsFile);
  if (file.type === 'absent') return { edits: null, warning: null };
  const warning = keep(spec, hasEndedWell ? '.json' : '.discarded.json');
  if (!hasEndedWell) return { edits: null, warning: warning ?? 'its edits were discarded: it did not end well' };
  if (file.type === 'refused')
    return { edits: { ok: false, error: `The edits were refused, all of them: ${file.why}` }, warning };
  return { edits: parseEdits(file.text), warning };
}

function keep(spec: AttemptSpec, ending: string): string | null {
  const { editsFolder, editsFile } = attemptPaths(spec);
  try {
    const target = join(spec.sharedDir, 'edits', `${spec.attempt}${ending}`);
    setAside(editsFolder, editsFile, target, baseOf(spec, target));
    return null;
  } catch (error) {
    return `the edits could not be kept in ${spec.sharedDir}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

// Takes a file that an agent left out of the working directory and keeps it in the shared folder.
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
