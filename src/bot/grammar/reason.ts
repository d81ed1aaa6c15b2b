// The reason code that may begin the note of a rejection.

/**
 * `constitution_violation breaks the layering` is a code and a note. Only a word with an underscore is taken for a
 * code, so that no ordinary sentence loses its first word.
 */
export function splitReason(note: string | null): { readonly reason: string | null; readonly rest: string | null } {
  const found = note === null ? null : /^([a-z]+(?:_[a-z0-9]+){1,8})(?=[\s,.:;]|$)[\s,.:;]*/i.exec(note);
  if (note === null || found === null) return { reason: null, rest: note };
  const rest = note.slice(found[0].length).trim();
  return { reason: (found[1] ?? '').toLowerCase(), rest: rest === '' ? null : rest };
}
