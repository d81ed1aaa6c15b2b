// Assembles tool calls from updates; a later update replaces the fields that it names.
import { resolve } from 'node:path';
import type { AgentEvent } from '../port.js';
import { actionWords, fewWords } from '../shared/action-words.js';
import { type Json, objectAt, objectOf, objectsAt, textAt, valueAt } from '../shared/foreign-json.js';

const maxCalls = 5_000;

export interface AcpToolCall {
  readonly title: string | null;
  readonly kind: string | null;
  readonly input: Json | null;
  /** `path` and its new text. */
  readonly changes: readonly Json[];
  readonly paths: readonly string[];
  readonly isTold: boolean;
}

const unknownCall: AcpToolCall = { title: null, kind: null, input: null, changes: [], paths: [], isTold: false };

/** Names that people know from other agents. */
const names: Readonly<Record<string, string>> = {
  execute: 'Bash',
  edit: 'Edit',
  read: 'Read',
  delete: 'Delete',
  move: 'Move',
  search: 'Search',
  fetch: 'Fetch',
};

export class ToolCalls {
  readonly #workdir: string;
  readonly #calls = new Map<string, AcpToolCall>();

  constructor(workdir: string) {
    this.#workdir = workdir;
  }

  note(update: Json): AcpToolCall | null {
    const id = textAt(update, 'toolCallId');
    if (id === null) return null;
    const call = this.#merged(this.#calls.get(id) ?? unknownCall, update);
    if (this.#calls.has(id) || this.#calls.size < maxCalls) this.#calls.set(id, call);
    return call;
  }

  /** Tells the action once its input is known, and failures. */
  events(update: Json): readonly AgentEvent[] {
    const call = this.note(update);
    const id = textAt(update, 'toolCallId');
    if (call === null || id === null) return [];
    const status = textAt(update, 'status') ?? 'pending';
    const failure: readonly AgentEvent[] =
      status === 'failed' ? [{ type: 'note', text: `[failed] ${this.wordsFor(call)}` }] : [];
    if (call.isTold || (call.input === null && status === 'pending')) return failure;
    this.#calls.set(id, { ...call, isTold: true });
    return [{ type: 'action', text: this.wordsFor(call) }, ...failure];
  }

  wordsFor({ kind, title, input, paths }: AcpToolCall): string {
    const name = names[kind ?? ''] ?? title ?? 'tool';
    const command = textAt(input, 'command') ?? textAt(input, 'cmd');
    if (command !== null) return actionWords(name, { command }, this.#workdir);
    const [path] = paths;
    if (path !== undefined && names[kind ?? ''] !== undefined) return actionWords(name, { path }, this.#workdir);
    return fewWords(title ?? name);
  }

  #merged(before: AcpToolCall, update: Json): AcpToolCall {
    const input = objectAt(update, 'rawInput');
    const content = objectsAt(update, 'content').filter((one) => textAt(one, 'type') === 'diff');
    const next = {
      ...before,
      title: textAt(update, 'title') ?? before.title,
      kind: textAt(update, 'kind') ?? before.kind,
      // Agents announce a call before its input.
      input: input === null || Object.keys(input).length === 0 ? before.input : input,
      changes: content.length === 0 ? before.changes : content,
    };
    const named = objectsAt(update, 'locations').flatMap((one) => textAt(one, 'path') ?? []);
    const found = [...named, ...pathsIn(next.input), ...next.changes.flatMap((one) => textAt(one, 'path') ?? [])];
    const paths = [...new Set([...before.paths, ...found.map((path) => resolve(this.#workdir, path))])];
    return { ...next, paths };
  }
}

function pathsIn(input: Json | null): readonly string[] {
  return ['file_path', 'filePath', 'filepath', 'abs_path', 'path'].flatMap((key) => textAt(input, key) ?? []);
}

export function textOf(content: unknown): string {
  const block = objectOf(content);
  if (textAt(block, 'type') === 'text') return textAt(block, 'text') ?? '';
  return valueAt(block, 'type') === undefined ? '' : `[${textAt(block, 'type') ?? 'content'}]`;
}
