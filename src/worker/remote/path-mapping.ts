// Translates paths between Bosun's machine and this one.
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Envelope } from '../../engine/index.js';
import type { AttemptSpec } from '../../jobs/index.js';

export interface MappedPath {
  readonly there: string;
  readonly here: string;
}

export interface PathMapping {
  here(text: string): string;
  there(text: string): string;
}

/** Among equals here, `there` returns the first. */
export function placesOf(pairs: readonly MappedPath[]): PathMapping {
  return {
    here: replacing(pairs.map(({ there, here }) => [there, here])),
    there: replacing(pairs.map(({ there, here }) => [here, there])),
  };
}

export interface MappedFolders {
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

/** Skips identifier keys. */
export function deeply<T>(value: T, change: (text: string) => string): T {
  return changed(value, change, 0);
}

/** Identifiers may look like a path. */
const kept: ReadonlySet<string> = new Set([
  ...['attempt', 'token', 'url', 'session', 'mark', 'code', 'kind', 'type', 'ref', 'commit'],
]);
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

/** One pass, so nothing is replaced twice; the longest path wins. */
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

/** Must not continue a longer path. May follow a scheme (`file://`), an option (`-I`) or an escaped line break. */
const begins = String.raw`(?:(?<![\p{L}\p{N}_.\-~+@%$/\\}\]*?)])|(?<=:\/\/)|(?<=(?:^|[\s"'])-[A-Za-z])|(?<=\\[nrt]))`;
/** Must not continue a longer name; a full stop may follow. */
const ends = String.raw`(?![\p{L}\p{N}_\-~+@%$]|\.+[\p{L}\p{N}_\-])`;

/** '' unless absolute. */
function bare(path: string): string {
  const stripped = path.replace(/\/+$/, '');
  return stripped.startsWith('/') ? stripped : '';
}

function topOf(folder: string, prefix: string): string | null {
  if (prefix === '' || !bare(folder).endsWith(`${sep}${prefix}`)) return null;
  const top = bare(folder).slice(0, -prefix.length - 1);
  return dirname(top) === top || basename(top) === '' ? null : join(top);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
