// Assembles tool calls from updates; a later update replaces the fields that it names.
import { resolve } from 'node:path';
import type { AgentEvent } from '../port.js';
import { actionWords, fewWords } from '../shared/action-words.js';
import { commandOutput, endOf } from '../shared/command-output.js';
import { type Json, numberAt, objectAt, objectOf, objectsAt, textAt, valueAt } from '../shared/foreign-json.js';
import type { Terminals } from './terminals.js';

const maxCalls = 5_000;

export interface AcpToolCall {
  readonly title: string | null;
  readonly kind: string | null;
  readonly input: Json | null;
  /** `path` and its new text. */
  readonly changes: readonly Json[];
  readonly paths: readonly string[];
  readonly isTold: boolean;
  /** The end of what a command printed so far. */
  readonly printed: string;
  readonly terminals: readonly string[];
  readonly exit: number | null;
  /** Its output is in the log. */
  readonly isLogged: boolean;
}

const unknownCall: AcpToolCall = {
  ...{ title: null, kind: null, input: null, changes: [], paths: [], isTold: false },
  ...{ printed: '', terminals: [], exit: null, isLogged: false },
};

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
  readonly #terminals: Pick<Terminals, 'printedBy'>;
  readonly #calls = new Map<string, AcpToolCall>();

  constructor(workdir: string, terminals: Pick<Terminals, 'printedBy'>) {
    this.#workdir = workdir;
    this.#terminals = terminals;
  }

  note(update: Json): AcpToolCall | null {
    const id = textAt(update, 'toolCallId');
    if (id === null) return null;
    const call = this.#merged(this.#calls.get(id) ?? unknownCall, update);
    if (this.#calls.has(id) || this.#calls.size < maxCalls) this.#calls.set(id, call);
    return call;
  }

  /** Tells the action once its input is known, what a command printed, and failures. */
  events(update: Json): readonly AgentEvent[] {
    const call = this.note(update);
    const id = textAt(update, 'toolCallId');
    if (call === null || id === null) return [];
    const status = textAt(update, 'status') ?? 'pending';
    const isOver = status === 'completed' || status === 'failed';
    const isToTell = !call.isTold && (call.input !== null || status !== 'pending');
    const printed = isOver && !call.isLogged && isCommand(call) ? this.#printedBy(call) : [];
    if (isToTell || isOver) {
      const over = isOver ? { isLogged: true, printed: '', terminals: [] } : {};
      this.#calls.set(id, { ...call, ...over, isTold: call.isTold || isToTell });
    }
    return [
      ...(isToTell ? [{ type: 'action', text: this.wordsFor(call) } as const] : []),
      ...printed,
      ...(status === 'failed' ? [{ type: 'note', text: `[failed] ${this.wordsFor(call)}` } as const] : []),
    ];
  }

  #printedBy({ printed, terminals, exit }: AcpToolCall): readonly AgentEvent[] {
    const ran = terminals.flatMap((one) => this.#terminals.printedBy(one) ?? []);
    if (ran.length > 0) return ran.flatMap((one) => commandOutput(one.text, one.exit));
    const lines = [printed, exit === null || exit === 0 ? '' : `exit ${exit}`].filter((line) => line !== '');
    return lines.length === 0 ? [] : [{ type: 'printed', text: lines.join('\n') }];
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
    const printed = printedIn(update);
    const terminals = objectsAt(update, 'content').flatMap((one) => textAt(one, 'terminalId') ?? []);
    const next = {
      ...before,
      title: textAt(update, 'title') ?? before.title,
      kind: textAt(update, 'kind') ?? before.kind,
      // Agents announce a call before its input.
      input: input === null || Object.keys(input).length === 0 ? before.input : input,
      changes: content.length === 0 ? before.changes : content,
      printed: printed === '' ? before.printed : endOf(printed),
      terminals: terminals.length === 0 ? before.terminals : terminals.slice(0, maxTerminalsOfCall),
      exit: exitIn(update) ?? before.exit,
    };
    const named = objectsAt(update, 'locations').flatMap((one) => textAt(one, 'path') ?? []);
    const found = [...named, ...pathsIn(next.input), ...next.changes.flatMap((one) => textAt(one, 'path') ?? [])];
    const paths = [...new Set([...before.paths, ...found.map((path) => resolve(this.#workdir, path))])];
    return { ...next, paths };
  }
}

const maxTerminalsOfCall = 8;

function isCommand({ kind, input }: AcpToolCall): boolean {
  return kind === 'execute' || textAt(input, 'command') !== null;
}

/** Content for people, else the tool's own result. */
function printedIn(update: Json): string {
  const blocks = objectsAt(update, 'content').filter((one) => textAt(one, 'type') === 'content');
  const shown = blocks.map((one) => unfenced(textOf(valueAt(one, 'content')))).filter((one) => one !== '');
  if (shown.length > 0) return shown.join('\n');
  const raw = objectAt(update, 'rawOutput');
  const own = ['formatted_output', 'aggregated_output', 'output', 'stdout'].flatMap((key) => textAt(raw, key) ?? []);
  return own[0] ?? textAt(update, 'rawOutput') ?? '';
}

function exitIn(update: Json): number | null {
  const raw = objectAt(update, 'rawOutput');
  return numberAt(raw, 'exit_code') ?? numberAt(raw, 'exitCode');
}

/** Agents that show their calls to people put output into a code block. */
function unfenced(text: string): string {
  return /^```\w*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}

function pathsIn(input: Json | null): readonly string[] {
  return ['file_path', 'filePath', 'filepath', 'abs_path', 'path'].flatMap((key) => textAt(input, key) ?? []);
}

export function textOf(content: unknown): string {
  const block = objectOf(content);
  if (textAt(block, 'type') === 'text') return textAt(block, 'text') ?? '';
  return valueAt(block, 'type') === undefined ? '' : `[${textAt(block, 'type') ?? 'content'}]`;
}
