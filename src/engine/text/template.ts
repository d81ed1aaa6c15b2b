// Fills `{{key}}` in one pass, so that braces in a value are never expanded.

export interface Filled {
  readonly text: string;
  readonly missing: readonly string[];
}

export type Values = Readonly<Record<string, string>>;

/** The parts that are not empty, with blank lines between them. */
export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

export function fill(template: string, values: Values): Filled {
  const missing: string[] = [];
  const text = template.replace(/\{\{\s*([\w.-]{1,100})\s*\}\}/g, (_whole, key: string) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    if (value !== undefined) return value;
    missing.push(key);
    return `[missing: ${key}]`;
  });
  return { text, missing };
}
