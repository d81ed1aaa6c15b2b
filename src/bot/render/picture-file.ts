// Pictures stay in Bosun's home until the message is sent.
import { lstatSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { type Home, homeFolder } from '../../config/index.js';
import type { PictureRef } from '../../store/index.js';
import { type AttachedDocument, documentOf } from './whole.js';

export type PictureReader = (picture: PictureRef) => AttachedDocument & { readonly isThere: boolean };

const place = /^r\d{1,12}\/[0-9a-f]{64}\.(?:png|jpg|gif|webp)$/;
const maxBytes = 5 * 1024 * 1024;

export function pictureReader(home: Pick<Home, 'dir'>): PictureReader {
  return ({ name, file }) => {
    const bytes = place.test(file) ? bytesOf(join(homeFolder(home, 'pictures'), file)) : null;
    const shown = basename(name);
    if (bytes === null) return { ...documentOf(`${shown}.txt`, `${name} is no longer kept.\n`), isThere: false };
    const typed = `${basename(shown, extname(shown))}${extname(file)}`;
    return { name: documentOf(typed, '').name, bytes, isThere: true };
  };
}

function bytesOf(path: string): Buffer | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() && found.size <= maxBytes ? readFileSync(path) : null;
}
