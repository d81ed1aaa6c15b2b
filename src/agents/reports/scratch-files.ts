// Bosun renders shared notes; attempts append to their own file or to a rendered one. Nothing is overwritten.
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder, writeOwnFile } from '../../base/index.js';
import type { Envelope } from '../../engine/index.js';
import type { AttemptSpec } from '../../jobs/index.js';
import { attemptPaths, fileName } from '../processes/environment.js';
import { readFileWithin } from '../processes/safe-read.js';

const maxChars = 4000;
const cutNotice = '(the beginning was cut)';

export type ScratchMarks = ReadonlyMap<string, string>;

export interface ReadScratch {
  readonly scratch: Envelope['scratch'];
  readonly warnings: readonly string[];
}

/** A running agent's lines stay until its attempt reports them. */
export function renderScratch(base: string, sharedDir: string, item: string | null, text: string): void {
  ownFolder(base, sharedDir);
  const path = scratchPath(sharedDir, item);
  const known = new Set([...linesOf(readText(sharedDir, knownPath(path))), ...linesOf(text)]);
  const pending = linesOf(readText(sharedDir, path)).filter((line) => !known.has(line));
  const body = [text.trimEnd(), ...pending].filter((part) => part !== '').join('\n');
  // Known lines first: a reader in between must not take Bosun's lines for an agent's.
  writeWhole(base, knownPath(path), text);
  writeWhole(base, path, body === '' ? '' : `${body}\n`);
}

export function markScratch(spec: AttemptSpec): ScratchMarks {
  const paths = [...sourcesOf(spec).run, ...sourcesOf(spec).item];
  return new Map(paths.map((path) => [path, readText(spec.sharedDir, path)]));
}

export function readScratch(spec: AttemptSpec, before: ScratchMarks): ReadScratch {
  const warnings: string[] = [];
  const added = (paths: readonly string[]): string => {
    const parts = paths.map((path) => addedTo(spec.sharedDir, path, before.get(path) ?? '', warnings));
    return cut(parts.filter((part) => part !== '').join('\n'));
  };
  const { run, item } = sourcesOf(spec);
  return { scratch: { run: added(run), item: added(item) }, warnings };
}

function sourcesOf(spec: AttemptSpec): { readonly run: readonly string[]; readonly item: readonly string[] } {
  const paths = attemptPaths(spec);
  return {
    run: [scratchPath(spec.sharedDir, null), paths.scratchFile],
    item: [scratchPath(spec.sharedDir, spec.item), ralphScratchPath(spec), paths.itemScratchFile],
  };
}

/** dynamic_ralph's name, which agents may know. */
function ralphScratchPath({ sharedDir, item }: AttemptSpec): string {
  return join(sharedDir, `scratch_${item === '' ? '_' : fileName(item)}.md`);
}

/** Null: the run's; '': the chain outside items. */
function scratchPath(sharedDir: string, item: string | null): string {
  if (item === null) return join(sharedDir, 'scratch.md');
  return join(sharedDir, 'scratch', `${item === '' ? '_' : fileName(item)}.md`);
}

function knownPath(path: string): string {
  return `${path}.known`;
}

function addedTo(sharedDir: string, path: string, before: string, warnings: string[]): string {
  const file = readFileWithin(sharedDir, path);
  if (file.type === 'refused') warnings.push(file.why);
  if (file.type !== 'text' || file.text === before) return '';
  const known = readText(sharedDir, knownPath(path));
  const isRenderedMeanwhile = known !== '' && known.trimEnd() !== before.trimEnd();
  if (!isRenderedMeanwhile && continues(before, file.text)) return file.text.slice(before.length).trim();
  // Rewritten by the agent or by Bosun: only unknown lines count.
  const old = new Set([...linesOf(before), ...linesOf(known)]);
  const fresh = linesOf(file.text).filter((line) => !old.has(line));
  return fresh.join('\n').trim();
}

function continues(before: string, after: string): boolean {
  if (!after.startsWith(before)) return false;
  return before === '' || before.endsWith('\n') || after.charAt(before.length) === '\n';
}

function cut(text: string): string {
  if (text.length <= maxChars) return text;
  return `${cutNotice}\n${text.slice(-(maxChars - cutNotice.length - 1))}`;
}

function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

function readText(sharedDir: string, path: string): string {
  const file = readFileWithin(sharedDir, path);
  return file.type === 'text' ? file.text : '';
}

function writeWhole(base: string, path: string, text: string): void {
  if (!isSame(path, text)) writeOwnFile(base, path, text);
}

function isSame(path: string, text: string): boolean {
  try {
    return lstatSync(path).isFile() && readFileSync(path, 'utf8') === text;
  } catch {
    return false;
  }
}
