// A file of another program stays until a person agrees to replace exactly that content (`settled`).
import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRunOver, type Run, type SettledFile } from '../../../engine/index.js';
import {
  type ExportEntry,
  type ExportRecord,
  hashOfFile,
  isOwnFile,
  openExportRecord,
  readPlainFile,
  unwritten,
  writeExportRecord,
} from './export-record.js';

export interface ExportGuardParts {
  readonly home: string;
  readonly root: string;
  readonly log: (message: string) => void;
}

export interface NewFile {
  readonly path: string;
  readonly text: string;
}

type RunOfFiles = Pick<Run, 'id' | 'status' | 'startedAt' | 'settled'>;

export class ExportGuard {
  readonly #parts: ExportGuardParts;
  #record: ExportRecord | null = null;
  /** By path, the live run whose agents and hooks alone may have edited it. */
  readonly #inUse = new Map<string, string>();
  /** By path, the hash last logged as held back. */
  readonly #told = new Map<string, string>();

  constructor(parts: ExportGuardParts) {
    this.#parts = parts;
  }

  /** Includes files that this run does not write. */
  settle(files: readonly SettledFile[]): void {
    const news = files.filter(({ path, hash }) => !this.#known().files.get(path)?.hashes.includes(hash));
    if (news.length === 0) return;
    this.#keep(news.map(({ path, hash }) => [path, unwritten(hash)]));
  }

  /** Records before writing: after a crash no own file looks foreign. */
  admit(run: RunOfFiles, files: readonly NewFile[]): readonly NewFile[] {
    const admitted = files.filter((file) => this.#mayReplace(run, file.path));
    const news = admitted.flatMap(({ path, text }) => {
      const hash = hashOfFile(text);
      const before = this.#known().files.get(path);
      if (before?.hashes[0] === hash && before.run === run.id) return [];
      const entry = { hashes: [hash, ...(before?.hashes.slice(0, 1) ?? [])], run: run.id, isBegun: isBegun(run) };
      return [[path, entry] as const];
    });
    if (news.length > 0) this.#keep(news);
    for (const { path } of admitted) {
      if (isBegun(run) && !isRunOver(run.status)) this.#inUse.set(path, run.id);
      else this.#inUse.delete(path);
    }
    return admitted;
  }

  #mayReplace(run: RunOfFiles, path: string): boolean {
    if (this.#inUse.get(path) === run.id) return true;
    const there = readPlainFile(this.#parts.root, path);
    if (there === null) return !this.#isTooLarge(path);
    if (isOwnFile(this.#known(), path, there)) return true;
    const entry = this.#known().files.get(path);
    const mayBeEdited = entry?.run === run.id && entry.isBegun && !isRunOver(run.status);
    if (mayBeEdited) {
      const copy = keepCopy(this.#parts.home, this.#parts.root, [{ path, text: there }]);
      this.#parts.log(
        `${path} changed while ${run.id} was paused, so Bosun rewrites it; the changed file is kept in ${copy}`,
      );
      return true;
    }
    this.#tellOnce(path, hashOfFile(there));
    return false;
  }

  /** Its owner stays unknown, so it is never replaced. */
  #isTooLarge(path: string): boolean {
    const found = lstatSync(join(this.#parts.root, path), { throwIfNoEntry: false });
    if (found?.isFile() !== true) return false;
    this.#tellOnce(path, `${found.size}`);
    return true;
  }

  #tellOnce(path: string, hash: string): void {
    if (this.#told.get(path) === hash) return;
    this.#told.set(path, hash);
    this.#parts.log(`another program wrote ${path}, so Bosun leaves it alone: say "continue", or move it away`);
  }

  #known(): ExportRecord {
    this.#record ??= openExportRecord(this.#parts.home, this.#parts.root, true);
    return this.#record;
  }

  #keep(news: readonly (readonly [string, ExportEntry])[]): void {
    const record = { root: this.#parts.root, files: new Map([...this.#known().files, ...news]) };
    writeExportRecord(this.#parts.home, record);
    this.#record = record;
  }
}

function isBegun(run: RunOfFiles): boolean {
  return run.startedAt !== null;
}

/** Deduped by content. */
export function keepCopy(
  home: string,
  root: string,
  files: readonly { readonly path: string; readonly text: Buffer }[],
): string {
  const id = hashOfFile(files.map(({ path, text }) => `${path} ${hashOfFile(text)}\n`).join('')).slice(0, 12);
  const folder = join(home, 'taken-over', hashOfFile(root).slice(0, 8), id);
  for (const { path, text } of files) {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    writeFileSync(place, text, { mode: 0o600 });
  }
  return folder;
}
