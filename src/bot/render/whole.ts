import { safeFileName } from './file-name.js';
import { graphemesFit } from './graphemes.js';
import { wellFormed } from './tidy.js';

export interface AttachedDocument {
  readonly name: string;
  readonly bytes: Buffer;
}

export function headOf(text: string, maxUnits: number): string {
  const cut = text.slice(0, graphemesFit(text, maxUnits));
  const line = cut.lastIndexOf('\n');
  return `${(line > maxUnits / 2 ? cut.slice(0, line) : cut).trimEnd()}\n… (the whole is in the file)`;
}

export function documentOf(name: string, text: string): AttachedDocument {
  return { name: safeFileName(name), bytes: Buffer.from(wellFormed(text)) };
}
