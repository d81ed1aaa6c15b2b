// What comes back from an attempt, or is shown while it works, without the secrets in it: the same shape, other texts.
import type { Redact } from './redactor.js';

/** Every text in it, whichever field it is in, but for names and marks that something is found by again. */
export function redacted<T>(value: T, redact: Redact): T {
  return without(value, redact, 0);
}

const kept: ReadonlySet<string> = new Set([
  ...['type', 'kind', 'killed', 'code', 'name', 'operation', 'remedy', 'target', 'order'],
  ...['logPath', 'session', 'mark', 'role', 'baseSha', 'phase', 'tool'],
  // The names of files are held against the globs of their step.
  ...['filesChanged', 'filesKept', 'strays', 'touchedRules', 'conflicts', 'wrote'],
  // Where its work lies.
  ...['ref', 'commit'],
]);
/** Nothing of it is as deep as this. */
const maxDepth = 12;

function without<T>(value: T, redact: Redact, depth: number): T;
function without(value: unknown, redact: Redact, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth > maxDepth) return null;
  if (Array.isArray(value)) return value.map((one: unknown) => without(one, redact, depth + 1));
  const entries = Object.entries(value).map(([key, one]) => [
    key,
    kept.has(key) ? one : without(one, redact, depth + 1),
  ]);
  return Object.fromEntries(entries);
}
