// Names a checkout's instruction files, which count, and its settings folders, which do not.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readFileWithin } from '../../processes/safe-read.js';
import type { AgentSeat } from '../port.js';

/** As much as Codex reads. */
const maxBytes = 32 * 1024;

/** Only `bypass` lets a checkout's settings count: they could allow everything. */
export function ignoresCheckout({ executor }: AgentSeat): boolean {
  return executor.permission !== 'bypass';
}

/** The folder of the work first, up to the top of its repository, where agents stop looking. */
export function foldersUpFrom(workdir: string): readonly string[] {
  const folders = [workdir];
  for (let at = workdir; !existsSync(join(at, '.git')) && dirname(at) !== at; at = dirname(at)) {
    folders.push(dirname(at));
  }
  return folders;
}

/** The first of `names` in each folder, outermost first; '' where there is none. */
export function instructionsIn(folders: readonly string[], names: readonly string[]): string {
  const found = folders.flatMap((folder) => {
    const read = names.map((name) => readFileWithin(folder, join(folder, name), maxBytes));
    const text = read.find((one) => one.type === 'text')?.text.trim() ?? '';
    return text === '' ? [] : [`# Instructions of the project for ${folder}\n\n${text}`];
  });
  return found.reverse().join('\n\n');
}
