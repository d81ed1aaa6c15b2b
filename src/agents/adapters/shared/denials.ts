// Refused tool calls become questions, or warnings if the step may never do them.

import { createHash } from 'node:crypto';
import { BosunError, visible } from '../../../base/index.js';
import type { Ask } from '../../../engine/index.js';
import type { AgentSeat } from '../port.js';
import { fewWords } from './action-words.js';
import { type Json, objectAt, objectsAt, textAt } from './foreign-json.js';

const maxDenials = 20;
const maxWhatChars = 2000;

export interface Denials {
  readonly asks: readonly Ask[];
  readonly warnings: readonly string[];
}

export function denialsIn(list: readonly Json[], access: AgentSeat['access']): Denials {
  const asks = new Map<string, Ask>();
  const warnings = new Set<string>();
  for (const one of list.slice(0, maxDenials)) {
    const tool = textAt(one, 'tool_name');
    const input = objectAt(one, 'tool_input') ?? {};
    if (tool === null) continue;
    if (tool === 'AskUserQuestion') {
      for (const ask of questionsOf(input)) asks.set(ask.text, ask);
    } else if (isForbidden(tool, access)) {
      warnings.add(`this step may not use ${fewWords(tool, 40)}: Bosun refused ${fewWords(whatOf(input))}`);
    } else {
      const ask = permissionAskOf(tool, input);
      asks.set(ask.permission?.mark ?? ask.text, ask);
    }
  }
  return { asks: [...asks.values()], warnings: [...warnings] };
}

export function permissionAskOf(tool: string, input: Json): Ask {
  const whole = whatOf(input);
  const unseen = whole.length - maxWhatChars;
  const sign = unseen > 0 ? `… (cut: ${unseen} of ${whole.length} characters are not shown)` : '';
  const what = `${visible(whole.slice(0, maxWhatChars))}${sign}`;
  const name = fewWords(tool, 60);
  return {
    kind: 'permission',
    text: `${name} was refused: ${what}`,
    options: [],
    permission: { tool: name, what, mark: markOf(tool, input) },
  };
}

/** Too deep an input gets a mark that no grant matches. */
function markOf(tool: string, input: Json): string {
  try {
    return permissionMark(tool, input);
  } catch {
    return permissionMark(tool, { unreadable: true });
  }
}

/** Command, file or URL; else the input as JSON. */
function whatOf(input: Json): string {
  const named = ['command', 'file_path', 'filePath', 'notebook_path', 'url'].flatMap((key) => textAt(input, key) ?? []);
  return named[0] ?? JSON.stringify(input);
}

function questionsOf(input: Json): readonly Ask[] {
  return objectsAt(input, 'questions').flatMap((one): readonly Ask[] => {
    const text = visible((textAt(one, 'question') ?? '').slice(0, 1000)).trim();
    const options = objectsAt(one, 'options').flatMap((option) => textAt(option, 'label') ?? []);
    const labels = options.slice(0, 6).map((label) => fewWords(label, 80));
    return text === '' ? [] : [{ kind: 'question', text, options: labels, permission: null }];
  });
}

export const editing: readonly string[] = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'];

const running: readonly string[] = ['Bash', 'PowerShell', 'KillShell'];

/** True: the step's access rules the tool out, so asking would be pointless. */
export function isForbidden(tool: string, access: AgentSeat['access']): boolean {
  if (access === 'write') return false;
  return editing.includes(tool) || (access === 'read' && running.includes(tool));
}

const shownChars = 12;

const maxDepth = 100;

/** The full hash: truncated ones collide within half a minute of search. */
export function permissionMark(tool: string, input: unknown): string {
  return createHash('sha256')
    .update(`${tool}\n${canonical(input, 0)}`)
    .digest('hex');
}

/** For display; never a lookup key. */
export function shownMark(mark: string): string {
  return mark.slice(0, shownChars);
}

function canonical(value: unknown, depth: number): string {
  if (depth > maxDepth) throw new BosunError('bad_input', `A tool's input is nested more than ${maxDepth} levels deep`);
  if (Array.isArray(value)) return `[${value.map((one) => canonical(one, depth + 1)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one, depth + 1)}`).join(',')}}`;
}
