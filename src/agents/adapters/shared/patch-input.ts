// Builds the text of a file change for a person's card; the answer is bound to exactly this text.
import { createHash } from 'node:crypto';

export interface FileChange {
  readonly path: string;
  readonly change: string;
  readonly diff: string;
}

/** Bosun takes no larger requests. */
export const maxInputChars = 8_000;

/** The files first, because a card shows only the beginning; the hash binds the answer to the rest. */
export function cutPatch(changes: readonly FileChange[]): Readonly<Record<string, unknown>> {
  const whole = changes.map(({ change, path, diff }) => `${change} ${path}\n${diff}`).join('\n');
  if (whole.length <= maxInputChars) return { changes: whole };
  const files = changes.map(({ change, path }) => `${change} ${path}`).join('\n');
  return { changes: `${files}\n${whole}`.slice(0, maxInputChars), chars: whole.length, sha256: sha256(whole) };
}

/** Any other input: what is too long is cut, and bound by its hash. */
export function cutInput(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const whole = JSON.stringify(input);
  if (whole.length <= maxInputChars) return input;
  return { input: whole.slice(0, maxInputChars), chars: whole.length, sha256: sha256(whole) };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
