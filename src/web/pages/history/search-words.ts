// Filters that are typed among the words of a search, as in "by:ada cost:>1 gift card".
import { z } from 'zod';
import { nearestWord } from '../../../engine/index.js';
import { runStatuses } from '../shared/status.js';
import { lineOf } from '../shared/text.js';

const value = z.string().min(1).max(100);

/** A number of hours, days or weeks, or a day. */
export const sincePattern = /^(?:[1-9]\d{0,2}[hdw]|\d{4}-\d{2}-\d{2})$/;
export const costPattern = /^[<>]\d{1,6}(?:\.\d{1,2})?$/;

/** `done`, `waiting` and `completed` name states; the page's words of one begin with its name. */
function statusNamed(said: string): string | null {
  const all = Object.entries(runStatuses);
  const named = ([status, words]: (typeof all)[number]) =>
    [status, ...words.split(', ')].some((one) => one === said.toLowerCase());
  return all.find(named)?.[0] ?? null;
}

const stateWords = Object.values(runStatuses).map((words) => words.split(', ')[0]);

const typed = {
  by: value,
  project: value,
  workflow: value,
  agent: value,
  state: value.transform((said, context) => {
    const status = statusNamed(said);
    if (status !== null) return status;
    context.addIssue(`“state:” takes ${stateWords.join(', ')}`);
    return z.NEVER;
  }),
  cost: z
    .string()
    .transform((said) => said.replace('$', ''))
    .pipe(z.string().regex(costPattern, '“cost:” takes an amount, as in cost:>1 or cost:<0.50')),
  since: z
    .string()
    .toLowerCase()
    .regex(sincePattern, '“since:” takes a time, as in since:7d, since:24h or since:2026-11-01'),
} as const;

export type TypedFilter = keyof typeof typed;

export interface ReadSearch {
  /** The text that remains, with the filters that are none. */
  readonly words: string;
  readonly filters: Readonly<Partial<Record<TypedFilter, string>>>;
  /** A sentence for each filter that is unknown or has a value that it does not take. */
  readonly problems: readonly string[];
}

/** Quotation marks around a filter make it words: `"state:failed"`. An address is no filter. */
const parts = /"[^"]*"|[^\s:"]+:"[^"]*"|\S+/g;
const filterPart = /^([a-z]{2,20}):(?!\/\/)"?([^"]+)"?$/i;

export function readSearch(text: string): ReadSearch {
  const words: string[] = [];
  const filters: Partial<Record<TypedFilter, string>> = {};
  const problems: string[] = [];
  for (const [part] of text.matchAll(parts)) {
    const [, said = '', given = ''] = filterPart.exec(part) ?? [];
    const name = said.toLowerCase();
    if (name === '') words.push(/^"[^"\s]+:[^"\s]+"$/.test(part) ? part.slice(1, -1) : part);
    else if (!isFilter(name)) {
      words.push(part);
      const known = Object.keys(typed);
      const near = nearestWord(name, known);
      const meant = near === null ? '.' : `; did you mean “${near}:”?`;
      const all = known.map((one) => `${one}:`).join(', ');
      problems.push(`There is no filter “${lineOf(name, 20)}:”${meant} There are ${all}`);
    } else {
      const read = typed[name].safeParse(given);
      if (read.success) filters[name] = read.data;
      else {
        words.push(part);
        problems.push(read.error.issues[0]?.message ?? `“${name}:” takes another value`);
      }
    }
  }
  const isPlain = Object.keys(filters).length === 0 && problems.length === 0 && !text.includes('"');
  return { words: isPlain ? text : words.join(' '), filters, problems };
}

function isFilter(name: string): name is TypedFilter {
  return Object.hasOwn(typed, name);
}
