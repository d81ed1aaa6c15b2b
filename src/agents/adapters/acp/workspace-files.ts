// Security: reads and writes only inside the workspace, never through a link out of it.
import { lstatSync, realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isInside, writeOwnFile } from '../../../base/index.js';
import { attemptPaths, baseOf } from '../../processes/environment.js';
import { readFileWithin } from '../../processes/safe-read.js';
import type { AgentSeat } from '../port.js';

const maxBytes = 2 * 1024 * 1024;

export type Place = { readonly base: string; readonly path: string; readonly isReport: boolean };
export type Done<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** Null: outside. */
export function placeIn(seat: AgentSeat, path: string): Place | null {
  const own = resolve(seat.workdir, path);
  const { resultFile, handoffFile, editsFile } = attemptPaths(seat);
  if ([resultFile, handoffFile, editsFile].includes(own)) return { base: baseOf(seat, own), path: own, isReport: true };
  for (const folder of [seat.workdir, realpathSync(seat.workdir)]) {
    if (isInside(folder, own)) {
      return { base: seat.workdir, path: join(seat.workdir, relative(folder, own)), isReport: false };
    }
  }
  return null;
}

/** `line` counts from 1. */
export function readText(
  seat: AgentSeat,
  path: string,
  { line, limit }: { readonly line: number | null; readonly limit: number | null },
): Done<string> {
  const place = placeIn(seat, path) ?? sharedPlace(seat, path);
  if (place === null) return failed(`${path} is outside the workspace ${seat.workdir}`);
  const file = readFileWithin(place.base, place.path, maxBytes);
  if (file.type === 'absent') return failed(`${path} does not exist`);
  if (file.type === 'refused') return failed(file.why);
  if (line === null && limit === null) return { ok: true, value: file.text };
  const from = Math.max(0, (line ?? 1) - 1);
  const lines = file.text.split('\n').slice(from, limit === null ? undefined : from + limit);
  return { ok: true, value: lines.join('\n') };
}

export function writeText({ base, path }: Place, content: string): Done<null> {
  try {
    const before = lstatSync(path, { throwIfNoEntry: false });
    if (before !== undefined && !before.isFile()) return failed(`${path} is a link or no plain file`);
    writeOwnFile(base, path, content, before === undefined ? 0o644 : before.mode & 0o777);
    return { ok: true, value: null };
  } catch (error) {
    return failed(`${path} could not be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Earlier steps leave files there for the whole run. */
function sharedPlace({ sharedDir, workdir }: AgentSeat, path: string): Place | null {
  const own = resolve(workdir, path);
  return sharedDir !== '' && isInside(sharedDir, own) ? { base: sharedDir, path: own, isReport: false } : null;
}

function failed(why: string): { readonly ok: false; readonly why: string } {
  return { ok: false, why };
}
