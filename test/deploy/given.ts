// The files by which Bosun is put somewhere, read and taken apart.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export const root = join(import.meta.dirname, '../..');

export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** A value of which nothing is known yet: what is not there is null. */
export type Part = Readonly<Record<string, unknown>>;

export function partOf(value: unknown): Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Part) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `a.b.0.c` of it. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((found, key) => (Array.isArray(found) ? found[Number(key)] : partOf(found)[key]), value);
}

export function yamlOf(path: string): Part {
  return partOf(parse(textOf(path), { merge: true }));
}

export function documentsOf(path: string): readonly Part[] {
  return parseAllDocuments(textOf(path)).map((one) => {
    if (one.errors.length > 0) throw new Error(`${path}: ${String(one.errors[0])}`);
    return partOf(one.toJS());
  });
}

export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

export interface Stage {
  readonly name: string;
  /** The stage or image that it begins with. */
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

export function stagesOf(path: string): readonly Stage[] {
  const lines = textOf(path)
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: { name: string; from: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [word = '', ...words] = line.trim().split(/\s+/);
    if (word === 'FROM') stages.push({ name: words[2] ?? '', from: words[0] ?? '', instructions: [] });
    else stages.at(-1)?.instructions.push({ word, rest: words.join(' ') });
  }
  return stages;
}

/** The instructions of a stage, with those of the stages that it begins with before them. */
export function wholeStage(stages: readonly Stage[], name: string): readonly Instruction[] {
  const stage = stages.find((one) => one.name === name);
  return stage === undefined ? [] : [...wholeStage(stages, stage.from), ...stage.instructions];
}

/** Sections of a unit file; a key may be there more than once. */
export function unitOf(path: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let section = '';
  for (const line of textOf(path).split('\n')) {
    const heading = /^\[(\w+)\]$/.exec(line);
    if (heading !== null) section = heading[1] ?? '';
    else if (line.trim() !== '' && !line.startsWith('#')) {
      const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      if (key === undefined || value === undefined) throw new Error(`${path}: not a line of a unit: ${line}`);
      found.set(`${section}.${key}`, [...(found.get(`${section}.${key}`) ?? []), value]);
    }
  }
  return found;
}
