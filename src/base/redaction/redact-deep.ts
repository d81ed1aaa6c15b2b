import type { Redact } from './redactor.js';

export function redacted<T>(value: T, redact: Redact): T {
  return without(value, redact, 0);
}

const kept: ReadonlySet<string> = new Set([
  ...['type', 'kind', 'killed', 'code', 'name', 'operation', 'remedy', 'target', 'order'],
  ...['logPath', 'session', 'mark', 'role', 'baseSha', 'phase', 'tool'],
  // Matched against the step's globs.
  ...['filesChanged', 'filesKept', 'strays', 'touchedRules', 'conflicts', 'wrote'],
  ...['ref', 'commit'],
]);
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
