// In a git folder, so that a note disappears with it.
import { dirname } from 'node:path';
import { BosunError, writeOwnFile } from '../../base/index.js';
import { isAbsent, readPlain } from './read-within.js';

export async function readGitNote(path: string): Promise<string> {
  try {
    return await readPlain(path);
  } catch (cause) {
    if (isAbsent(cause)) return '';
    throw new BosunError('git', `Cannot read ${path}`, { hint: 'It must be a plain file that Bosun may read.', cause });
  }
}

export function writeGitNote(path: string, text: string): void {
  try {
    writeOwnFile(dirname(path), path, text);
  } catch (cause) {
    throw new BosunError('git', `Cannot write ${path}`, {
      hint: 'Free some disk space, or grant write access.',
      cause,
    });
  }
}
