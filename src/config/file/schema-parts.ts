import { z } from 'zod';
import { didYouMean } from '../../engine/index.js';

const maxChars = 4096;
const maxNames = 500;

export function keys<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownKey(key, Object.keys(shape))).join('\n')
        : expected('a map of keys'),
  });
}

function unknownKey(key: string, known: readonly string[]): string {
  // It may be a secret that lost its key.
  if (!/^[A-Za-z_][\w-]{0,30}$/.test(key)) return 'unknown key';
  return `unknown key "${key}"${didYouMean(key, known)}`;
}

export function expected(what: string): string {
  return `must be ${what}`;
}

export const text = z.string(expected('text')).max(maxChars, expected(`text of at most ${maxChars} characters`));
export const filled = text.min(1, expected('non-empty text'));
/** Empty counts as absent: `${VAR}` turns a setting off if the variable is unset. */
export const optionalText = text.transform((said) => (said.trim() === '' ? null : said)).default(null);

export function word<const Words extends readonly string[]>(words: Words) {
  return z.string(expected(oneOf(words))).transform((said, context): Words[number] => {
    const found = words.find((one) => one === said);
    if (found !== undefined) return found;
    const shown = /^[A-Za-z][\w-]{0,30}$/.test(said) ? didYouMean(said, words) : '';
    context.issues.push({ code: 'custom', message: `${expected(oneOf(words))}${shown}`, input: said });
    return z.NEVER;
  });
}

export function oneOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Accepts text too, because variables hold text. */
export function number(what: string, isFine: (value: number) => boolean) {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value),
    z.number(expected(what)).refine(isFine, expected(what)),
  );
}

export function named<Value extends z.ZodType>(name: z.ZodString, value: Value, most = maxNames) {
  return z
    .record(name, value, expected('a map'))
    .refine((map) => Object.keys(map).length <= most, `has more than ${most} entries`)
    .default({});
}

export const url = (pattern: RegExp, what: string) =>
  optionalText.refine((said) => said === null || pattern.test(said), expected(what));
export const httpUrl = url(/^https?:\/\/[^\s/]/, 'an address that begins with http:// or https://');
