// Untrusted JSON, leniently: an unexpected shape counts as absent.
export type Json = Readonly<Record<string, unknown>>;

export function objectIn(line: string): Json | null {
  const text = line.trim();
  if (!text.startsWith('{')) return null;
  try {
    return objectOf(JSON.parse(text));
  } catch {
    // The caller logs the raw line.
    return null;
  }
}

export function objectOf(value: unknown): Json | null {
  return isObject(value) ? value : null;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectAt(from: Json | null, key: string): Json | null {
  return objectOf(valueAt(from, key));
}

export function objectsAt(from: Json | null, key: string): readonly Json[] {
  const value = valueAt(from, key);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function textAt(from: Json | null, key: string): string | null {
  const value = valueAt(from, key);
  return typeof value === 'string' ? value : null;
}

export function textsAt(from: Json | null, key: string): readonly string[] {
  const value = valueAt(from, key);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export function numberAt(from: Json | null, key: string): number | null {
  const value = valueAt(from, key);
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

export function valueAt(from: Json | null, key: string): unknown {
  return from !== null && Object.hasOwn(from, key) ? from[key] : undefined;
}
