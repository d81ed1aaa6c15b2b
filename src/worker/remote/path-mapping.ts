// The same folder has one path on Bosun's machine and another one here: what a job says in Bosun's paths is said in this
// machine's, and what comes of it in Bosun's again.
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Envelope } from '../../engine/index.js';
import type { AttemptSpec } from '../../jobs/index.js';

/** A folder there, and the same one here. */
export interface MappedPath {
  readonly there: string;
  readonly here: string;
}

export interface PathMapping {
  /** From Bosun's paths to this machine's. */
  here(text: string): string;
  /** And back. */
  there(text: string): string;
}

/** Where two of them are the same folder here, the way back leads to the first. */
export function placesOf(pairs: readonly MappedPath[]): PathMapping {
  return {
    here: replacing(pairs.map(({ there, here }) => [there, here])),
    there: replacing(pairs.map(({ there, here }) => [here, there])),
  };
}

/** Where an attempt works on this machine. */
export interface MappedFolders {
  /** The top of its checkout, and the project's folder in it. */
  readonly top: string;
  readonly folder: string;
  readonly shared: string;
}

export function placesFor(spec: AttemptSpec, { top, folder, shared }: MappedFolders): PathMapping {
  const prefix = relative(top, folder);
  const tops = [spec.workdir, spec.root].flatMap((one) => topOf(one, prefix) ?? []);
  return placesOf([
    { there: spec.sharedDir, here: shared },
    { there: spec.workdir, here: folder },
    { there: spec.root, here: folder },
    ...tops.map((there) => ({ there, here: top })),
  ]);
}

export function specHere(spec: AttemptSpec, places: PathMapping): AttemptSpec {
  return deeply(spec, places.here);
}

export function envelopeThere(envelope: Envelope, places: PathMapping): Envelope {
  return deeply(envelope, places.there);
}

/** Every text in it but for those that something is found by again: the same shape. */
export function deeply<T>(value: T, change: (text: string) => string): T {
  return changed(value, change, 0);
}

/** Names, tokens and the like: no path is in them, and whatever looks like one must stay as it is. */
const kept: ReadonlySet<string> = new Set([
  ...['attempt', 'token', 'url', 'session', 'mark', 'code', 'kind', 'type', 'ref', 'commit'],
]);
/** Nothing of it is as deep as this. */
const maxDepth = 100;

function changed<T>(value: T, change: (text: string) => string, depth: number): T;
function changed(value: unknown, change: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return change(value);
  if (value === null || typeof value !== 'object' || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((one: unknown) => changed(one, change, depth + 1));
  const entries = Object.entries(value).map(([key, one]) => [
    key,
    kept.has(key) && typeof one === 'string' ? one : changed(one, change, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

/** All in one pass, so that nothing is replaced twice; of two that begin alike the longer one is meant. */
function replacing(pairs: readonly (readonly [from: string, to: string])[]): (text: string) => string {
  const known = new Map<string, string>();
  for (const [from, to] of pairs) {
    const path = bare(from);
    if (path !== '' && !known.has(path)) known.set(path, bare(to));
  }
  const paths = [...known.keys()].sort((one, other) => other.length - one.length);
  if (paths.length === 0) return (text) => text;
  const pattern = new RegExp(`${begins}(?:${paths.map(escaped).join('|')})${ends}`, 'gu');
  return (text) => text.replace(pattern, (path) => known.get(path) ?? path);
}

/**
 * What stands before it is no part of a longer path; but it may be a scheme (`file://`), an option of one letter (`-I`), or
 * a new line that is spelled out.
 */
const begins = String.raw`(?:(?<![\p{L}\p{N}_.\-~+@%$/\\}\]*?)])|(?<=:\/\/)|(?<=(?:^|[\s"'])-[A-Za-z])|(?<=\\[nrt]))`;
/** Another folder's name may go on there; full stops do not count at the end of a word. */
const ends = String.raw`(?![\p{L}\p{N}_\-~+@%$]|\.+[\p{L}\p{N}_\-])`;

/** Without what may stand at its end or not; empty where it is nothing that could be replaced. */
function bare(path: string): string {
  const stripped = path.replace(/\/+$/, '');
  return stripped.startsWith('/') ? stripped : '';
}

/** null: the folder does not lie there. */
function topOf(folder: string, prefix: string): string | null {
  if (prefix === '' || !bare(folder).endsWith(`${sep}${prefix}`)) return null;
  const top = bare(folder).slice(0, -prefix.length - 1);
  return dirname(top) === top || basename(top) === '' ? null : join(top);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
