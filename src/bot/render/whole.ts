// Text too long for a chat: its head is shown, and the whole is attached as a file.
import { safeFileName } from './file-name.js';
import { graphemesFit } from './graphemes.js';
import { wellFormed } from './tidy.js';

export interface AttachedDocument {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Cuts at a line's end if one is near. */
export function headOf(text: string, maxUnits: number): string {
  const cut = text.slice(0, graphemesFit(text, maxUnits));
  const line = cut.lastIndexOf('\n');
  return `${(line > maxUnits / 2 ? cut.slice(0, line) : cut).trimEnd()}\n… (the whole is in the file)`;
}

export function documentOf(name: string, text: string): AttachedDocument {
  return { name: safeFileName(name), bytes: Buffer.from(wellFormed(text)) };
}
