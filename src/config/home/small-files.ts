import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, replaceFile } from '../../base/index.js';
import type { Home } from './home.js';

const maxChars = 8_000;

export type KeptName = `${string}-${string}`;

export function keptText(home: Pick<Home, 'dir'>, name: KeptName): string | null {
  try {
    return readFileSync(join(home.dir, name), 'utf8').slice(0, maxChars);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

export function keepText(home: Pick<Home, 'dir'>, name: KeptName, text: string): void {
  replaceFile(join(home.dir, name), text.slice(0, maxChars));
}
