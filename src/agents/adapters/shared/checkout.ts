// Instruction files count; settings folders do not.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readFileWithin } from '../../processes/safe-read.js';
import type { AgentSeat } from '../port.js';

const maxBytes = 32 * 1024;

/** Settings could allow everything; only `bypass` lets them count. */
export function ignoresCheckout({ executor }: AgentSeat): boolean {
  return executor.permission !== 'bypass';
}

/** Innermost first, up to the repository's top, where agents stop. */
export function foldersUpFrom(workdir: string): readonly string[] {
  const folders = [workdir];
  for (let at = workdir; !existsSync(join(at, '.git')) && dirname(at) !== at; at = dirname(at)) {
    folders.push(dirname(at));
  }
  return folders;
}

/** The first of `names` per folder, outermost first. */
export function instructionsIn(folders: readonly string[], names: readonly string[]): string {
  const found = folders.flatMap((folder) => {
    const read = names.map((name) => readFileWithin(folder, join(folder, name), maxBytes));
    const text = read.find((one) => one.type === 'text')?.text.trim() ?? '';
    return text === '' ? [] : [`# Instructions of the project for ${folder}\n\n${text}`];
  });
  return found.reverse().join('\n\n');
}
