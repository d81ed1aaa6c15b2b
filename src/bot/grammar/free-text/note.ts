// "note for shop: use JWT", "note: use JWT". Only offered.

export interface NoteToStep {
  readonly project: string | null;
  readonly text: string;
}

export function readNote(said: string): NoteToStep | null {
  const found = /^note(?:\s+(?:for|to)\s+([\p{L}\p{N}_-]+))?\s*:\s*(\S[\s\S]*)$/iu.exec(said.trim());
  return found === null ? null : { project: found[1] ?? null, text: (found[2] ?? '').trim() };
}
