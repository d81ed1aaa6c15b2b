// Git takes ignored files for expendable when it needs their place. Here they are somebody's: a rollback asks first.
import { lstat } from 'node:fs/promises';
import type { ScratchIndex } from '../changes/scratch-index.js';
import type { Checkout } from '../git/checkout.js';
import { gitRecords, toText } from '../git/git.js';

const atOnceMax = 500;

/** A file that would be lost if `paths` came back, which are not in the scratch index; null: none would. */
export async function findObstacle(scratch: ScratchIndex, paths: readonly string[]): Promise<string | null> {
  const inTheWay = new Set<string>();
  const folders = new Set<string>();
  for (const path of paths) {
    const place = await findTakenPlace(scratch.checkout, path, folders);
    if (place !== null) inTheWay.add(place);
  }
  const places = [...inTheWay].map((place) => `:(top,literal)${toText(place)}`);
  for (let at = 0; at < places.length; at += atOnceMax) {
    const args = ['ls-files', '--others', '-z', '--', ...places.slice(at, at + atOnceMax)];
    const [lost] = await gitRecords(scratch.checkout.top, args, scratch.options);
    if (lost !== undefined) return toText(lost);
  }
  return null;
}

// What stands where the path shall be, or where one of its folders shall be.
async function findTakenPlace(checkout: Checkout, path: string, folders: Set<string>): Promise<string | null> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const place = parts.slice(0, depth).join('/');
    if (folders.has(place)) continue;
    const found = await lstat(Buffer.from(`${Buffer.from(checkout.top).toString('latin1')}/${place}`, 'latin1')).catch(
      () => null,
    );
    if (found === null) return null;
    if (depth === parts.length || !found.isDirectory()) return place;
    folders.add(place);
  }
  return null;
}
