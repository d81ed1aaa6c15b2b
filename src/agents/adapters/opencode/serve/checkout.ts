// Security: OpenCode 1.18 loads a checkout's plugins even if told to ignore its configuration; they run unasked and may
// answer permission requests.
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readFileWithin } from '../../../processes/safe-read.js';
import { foldersUpFrom } from '../../shared/checkout.js';
import { isOwnPlugin } from '../hook-plugin.js';

export function foreignCodeIn(workdir: string): string | null {
  for (const folder of foldersUpFrom(workdir)) {
    const own = join(folder, '.opencode');
    const found = [folder, own].flatMap(namingPlugins)[0] ?? pluginsIn(own)[0];
    if (found !== undefined) return found;
  }
  return null;
}

function namingPlugins(folder: string): readonly string[] {
  const paths = ['opencode.json', 'opencode.jsonc'].map((name) => join(folder, name));
  // An escape may disguise the key.
  return paths.filter((path) => exists(path) && /plugin|\\u/i.test(textOf(path) ?? unreadable));
}

function pluginsIn(folder: string): readonly string[] {
  return ['plugin', 'plugins'].flatMap((name) => {
    const files = namesIn(join(folder, name)).filter((file) => /\.(ts|js)$/.test(file));
    const paths = files.map((file) => join(folder, name, file));
    return paths.filter((path) => !isOwnPlugin(textOf(path) ?? ''));
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const maxBytes = 1024 * 1024;
/** Counts as naming a plugin. */
const unreadable = 'plugin';

/** Null: not a plain file (a pipe would block Bosun), or too large. */
function textOf(path: string): string | null {
  try {
    const real = realpathSync(path);
    const file = readFileWithin(dirname(real), real, maxBytes);
    return file.type === 'text' ? file.text : null;
  } catch {
    // A dangling link.
    return null;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
