// A file change on a card; the answer is bound to exactly this text.
import { createHash } from 'node:crypto';

export interface FileChange {
  readonly path: string;
  readonly change: string;
  readonly diff: string;
}

/** Bosun's limit for a request. */
export const maxInputChars = 8_000;

/** Files first: a card shows the beginning, and the hash binds the rest. */
export function cutPatch(changes: readonly FileChange[]): Readonly<Record<string, unknown>> {
  const whole = changes.map(({ change, path, diff }) => `${change} ${path}\n${diff}`).join('\n');
  if (whole.length <= maxInputChars) return { changes: whole };
  const files = changes.map(({ change, path }) => `${change} ${path}`).join('\n');
  return { changes: `${files}\n${whole}`.slice(0, maxInputChars), chars: whole.length, sha256: sha256(whole) };
}

/** The hash binds the cut part. */
export function cutInput(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const whole = JSON.stringify(input);
  if (whole.length <= maxInputChars) return input;
  return { input: whole.slice(0, maxInputChars), chars: whole.length, sha256: sha256(whole) };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
