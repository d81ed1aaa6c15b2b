// `{{key}}` in one pass: braces in values stay. `{{#if key}}…{{else}}…{{/if}}` tests for a blank value.

export interface Filled {
  readonly text: string;
  readonly missing: readonly string[];
}

export type Values = Readonly<Record<string, string>>;

export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

export function fill(template: string, values: Values): Filled {
  const missing: string[] = [];
  const text = keepBranches(template, values).replace(/\{\{\s*([\w.-]{1,100})\s*\}\}/g, (_whole, key: string) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    if (value !== undefined) return value;
    missing.push(key);
    return `[missing: ${key}]`;
  });
  return { text, missing };
}

// A tag alone on its line takes the line along.
const ifTag = String.raw`(?:^[ \t]*\{\{#if\s+([\w.-]{1,100})\s*\}\}[ \t]*\r?\n|\{\{#if\s+([\w.-]{1,100})\s*\}\})`;
const elseTag = String.raw`(?:^[ \t]*\{\{else\}\}[ \t]*\r?\n|\{\{else\}\})`;
const endTag = String.raw`(?:^[ \t]*\{\{\/if\}\}[ \t]*(?:\r?\n|$(?![\s\S]))|\{\{\/if\}\})`;
const part = String.raw`((?:(?!\{\{(?:#if\s|else\}\}|\/if\}\}))[\s\S])*)`;
const innermost = new RegExp(`${ifTag}${part}(?:${elseTag}${part})?${endTag}`, 'gm');
const deepest = 10;

/** Blocks from the inside out; incomplete ones stay as written. */
function keepBranches(template: string, values: Values): string {
  let text = template;
  for (let depth = 0; depth < deepest && text.includes('{{#if'); depth += 1) {
    const next = text.replace(innermost, (_whole, alone, inline, then: string, otherwise: string | undefined) => {
      const key = String(alone ?? inline);
      const isSet = Object.hasOwn(values, key) && (values[key] ?? '').trim() !== '';
      return isSet ? then : (otherwise ?? '');
    });
    if (next === text) break;
    text = next;
  }
  return text;
}
