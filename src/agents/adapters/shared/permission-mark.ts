// What a grant is found again by: the same tool with the same input, whatever order its keys came in.
import { createHash } from 'node:crypto';
import { BosunError } from '../../../base/index.js';

const shownChars = 12;
const maxDepth = 100;

/** The whole of the hash: of a part of it, two commands with the same one are found in half a minute. */
export function permissionMark(tool: string, input: unknown): string {
  return createHash('sha256')
    .update(`${tool}\n${canonical(input, 0)}`)
    .digest('hex');
}

/** What people see of it; nothing is found by that. */
export function shownMark(mark: string): string {
  return mark.slice(0, shownChars);
}

/** JSON with the keys of each object in order. */
function canonical(value: unknown, depth: number): string {
  if (depth > maxDepth) throw new BosunError('bad_input', `A tool's input is nested deeper than ${maxDepth}`);
  if (Array.isArray(value)) return `[${value.map((one) => canonical(one, depth + 1)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one, depth + 1)}`).join(',')}}`;
}
