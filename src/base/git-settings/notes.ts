// Security: records a repository's settings while an agent works. If the agent changed them, Bosun runs no git there
// until a person decides.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { BosunError } from '../error.js';
import { isInside } from '../own-path.js';
import { changesOf, type GitSettings, locate, putBack, readSettings, realPath, settingsNow } from './settings.js';

const entrySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), text: z.string(), runs: z.boolean(), isConfig: z.boolean() }),
  z.object({ kind: z.literal('large'), hash: z.string(), runs: z.boolean() }),
  z.object({ kind: z.literal('link'), to: z.string() }),
  z.object({ kind: z.literal('folder'), id: z.string() }),
  z.object({ kind: z.literal('other') }),
]);

const noteSchema = z.object({
  attempt: z.string(),
  settings: z.object({
    tops: z.array(z.string()),
    common: z.string(),
    gitDirs: z.array(z.string()),
    dotGits: z.record(z.string(), z.string()).default({}),
    owned: z.array(z.string()),
    files: z.record(z.string(), entrySchema),
  }),
  /** The attempt has ended; its changes wait for a person. */
  isOver: z.boolean(),
});

interface Note {
  readonly attempt: string;
  readonly settings: GitSettings;
  readonly isOver: boolean;
}

export interface SettingsGuard {
  /** Before the first running agent. Returns names that differ from an earlier record. */
  begin(attempt: string, folder: string): readonly string[];
  look(attempt: string): readonly string[];
  end(attempt: string): void;
  /** At startup: ends all other attempts' notes. */
  keep(attempts: ReadonlySet<string>): void;
}

export const settingsChanged = 'git_settings';

const folderName = 'git-settings';
const folders = new Set<string>();
const read = new Map<string, { readonly text: string; readonly note: Note }>();

export function heedSettings(home: string): void {
  folders.add(join(home, folderName));
}

export function settingsGuard(home: string): SettingsGuard {
  heedSettings(home);
  const folder = join(home, folderName);
  const pathOf = (attempt: string) => join(folder, nameOf(attempt));
  const noteOf = (attempt: string) => readNote(pathOf(attempt));
  const end = (note: Note) => {
    if (changesOf(note.settings).length === 0) rmSync(pathOf(note.attempt), { force: true });
    else writeNote(pathOf(note.attempt), { ...note, isOver: true });
  };
  return {
    begin(attempt, where) {
      const changes = changesIn(where);
      const own = readSettings(where);
      if (own === null || changes.length > 0) return changes;
      for (const { path, note } of notesAbout(where)) if (note.isOver) rmSync(path, { force: true });
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeNote(pathOf(attempt), { attempt, settings: own, isOver: false });
      return [];
    },
    look(attempt) {
      const note = noteOf(attempt);
      return note === null ? [] : changesOf(note.settings);
    },
    end(attempt) {
      const note = noteOf(attempt);
      if (note !== null) end(note);
    },
    keep(attempts) {
      for (const { note } of notesIn(folder)) if (!attempts.has(note.attempt)) end(note);
    },
  };
}

export function refuseChangedSettings(folder: string): void {
  const changes = changesIn(folder);
  if (changes.length === 0) return;
  throw new BosunError(settingsChanged, tellChanges(folder, changes), {
    hint: 'Bosun runs no git there until a person accepts or restores the change.',
  });
}

/** Notes taken while another exists are identical, so the first that differs is enough. */
function changesIn(folder: string): readonly string[] {
  for (const { note } of notesAbout(folder)) {
    const changes = isElsewhere(folder, note.settings) ? [`.git of ${folder}`] : changesOf(note.settings);
    if (changes.length > 0) return changes;
  }
  return [];
}

const maxTold = 20;

export function tellChanges(folder: string, changes: readonly string[]): string {
  const more = changes.length > maxTold ? `\n… and ${changes.length - maxTold} more` : '';
  const listed = changes.slice(0, maxTold).map((one) => `\n${one}`);
  return `The git settings and hooks of ${folder} changed while an agent was working:${listed.join('')}${more}`;
}

export function acceptSettings(folder: string): void {
  for (const { path, note } of notesAbout(folder)) {
    if (note.isOver) rmSync(path, { force: true });
    else writeNote(path, { ...note, settings: readSettings(folder) ?? settingsNow(note.settings) });
  }
}

export function restoreSettings(folder: string): void {
  for (const { path, note } of notesAbout(folder)) {
    putBack(note.settings);
    const left = changesOf(note.settings);
    if (left.length > 0) {
      throw new BosunError(settingsChanged, `Could not restore everything in ${folder}: ${left.join('; ')}`, {
        hint: 'Restore it by hand and retry, or accept the change.',
      });
    }
    if (note.isOver) rmSync(path, { force: true });
  }
}

interface Filed {
  readonly path: string;
  readonly note: Note;
}

function notesAbout(folder: string): readonly Filed[] {
  const all = [...folders].flatMap(notesIn);
  const real = all.length === 0 ? null : realPath(folder);
  if (real === null) return [];
  const common = locate(real)?.common ?? null;
  return all.filter(({ note: { settings } }) => {
    return settings.common === common || settings.owned.includes(real) || isInside(settings.common, real);
  });
}

function isElsewhere(folder: string, { owned, common }: GitSettings): boolean {
  const real = realPath(folder);
  return real !== null && owned.includes(real) && locate(real)?.common !== common;
}

function notesIn(folder: string): readonly Filed[] {
  let names: readonly string[] = [];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const path = join(folder, name);
    const note = name.endsWith('.json') ? readNote(path) : null;
    return note === null ? [] : [{ path, note }];
  });
}

/** Renamed into place, so never half written. */
function readNote(path: string): Note | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    // Race: the attempt just ended.
    read.delete(path);
    return null;
  }
  const known = read.get(path);
  if (known?.text === text) return known.note;
  const note = noteSchema.parse(JSON.parse(text));
  read.set(path, { text, note });
  return note;
}

function writeNote(path: string, note: Note): void {
  const draft = `${path}.part`;
  writeFileSync(draft, JSON.stringify(note), { mode: 0o600 });
  renameSync(draft, path);
}

function nameOf(attempt: string): string {
  return `${createHash('sha256').update(attempt).digest('hex').slice(0, 32)}.json`;
}
