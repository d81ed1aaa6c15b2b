// Strict: an unknown key fails with the nearest known one, and so does a repeated key.
import type { Context } from 'hono';
import { z } from 'zod';
import { didYouMean } from '../../engine/index.js';
import type { Env } from '../context/web-context.js';
import { fitting } from './body.js';
import { problem } from './problem.js';

export const maxItems = 200;

export const limit = z.coerce.number().int().min(1).max(maxItems).default(50).describe('The maximum number of items.');
export const projectName = z.string().min(1).max(200).describe('A name or an alias.');
export const runId = z.string().regex(/^r?\d{1,15}$/, 'must be the id of a run, such as r12');

export type QueryShape = z.ZodObject<z.core.$ZodLooseShape>;

export const noQuery = z.strictObject({});

export function queryOf<T extends QueryShape>(c: Context<Env>, schema: T): { readonly data: z.output<T> } | Response {
  const known = Object.keys(schema.shape);
  const given = Object.entries(c.req.queries());
  for (const [key, values] of given) {
    const name = key.slice(0, 100);
    if (!known.includes(key)) {
      const there = known.length === 0 ? 'This route takes none.' : `Known parameters: ${known.join(', ')}.`;
      return problem(400, 'bad_input', `There is no query parameter "${name}"${didYouMean(name, known)}`, there);
    }
    if (values.length > 1) return problem(400, 'bad_input', `"${name}" is given ${values.length} times; give it once`);
  }
  return fitting(Object.fromEntries(given.map(([key, [value]]) => [key, value])), schema);
}
