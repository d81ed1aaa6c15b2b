// Whether a clone is ready, told by file dates alone. Every start pays for this, so it loads nothing but the file system.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Which Node the native code in node_modules is for. */
export const platform = `${process.platform}-${process.arch}`;
export const abi = `${platform}-${process.versions.modules}`;

export const depsStampFile = (root) => join(root, 'node_modules', '.bosun.json');
export const distStampFile = (root) => join(root, 'dist', '.stamp');

/** Whether the stamp in node_modules says: this lock file, this Node's binary interface, and dev tools if wanted. */
export function areDepsFresh(root, dev) {
  const stamp = readDepsStamp(root);
  if (stamp === null || (dev && !stamp.dev)) return false;
  return stamp.abi === abi && stamp.lock === dateOf(join(root, 'package-lock.json'));
}

export function readDepsStamp(root) {
  const text = readOrNull(depsStampFile(root));
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    // Cut off while it was written: it proves nothing, and the work is done again.
    return null;
  }
}

export function isDistFresh(root) {
  const stamp = readOrNull(distStampFile(root));
  return stamp !== null && stamp === sourceDates(root);
}

/** Name, size and date of each source, a line each. */
export function sourceDates(root) {
  const lines = [`build ${dateOf(join(root, 'bin', 'build.mjs'))}`];
  const pending = ['src'];
  while (pending.length > 0) {
    const folder = pending.pop();
    for (const entry of readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) pending.push(path);
      else if (entry.isFile()) lines.push(`${path} ${dateOf(`${root}/${path}`)}`);
    }
  }
  return lines.sort().join('\n');
}

export function dateOf(file) {
  const { size, mtimeMs } = statSync(file);
  return `${size} ${mtimeMs}`;
}

function readOrNull(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  }
}
