// Refuses a tool request at once, or builds a card that shows exactly what the agent wants to do.

import { changedScriptTool, permissionMark, shownMark } from '../../agents/index.js';
import { visible } from '../../base/index.js';
import type { Ask } from '../../engine/index.js';
import type { AttemptSpec } from '../../jobs/index.js';

export interface ToolUse {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly reason?: string;
}

const maxShownChars = 2_000;
/** Beyond this a card shows too little to judge. */
const maxCommandChars = 8_000;
const maxFieldChars = 300;
const maxFields = 12;

/** Null: a person may be asked. */
export function whyRefused({ tool, input }: ToolUse, access: AttemptSpec['access']): string | null {
  if (access === 'read' && changing.has(tool.toLowerCase())) {
    return `This step is read-only, so it may not use ${tool}. Go on without it.`;
  }
  const chars = commandOf({ tool, input })?.length ?? 0;
  if (chars <= maxCommandChars) return null;
  return `The command has ${chars} characters; a person can judge at most ${maxCommandChars}. Use shorter commands.`;
}

/**
 * Security: redaction removed shell syntax, so part of the command is hidden. A real secret has only these characters.
 */
export function hidesWork(whole: string, shown: string): boolean {
  const working = (text: string) => text.replaceAll(/[\w.~+/=:%@,[\]-]/g, '').length;
  return working(whole) > working(shown);
}

export const hiddenWork =
  'Part of it looks like a secret, and hiding that would hide more of it from the person asked. Pass secrets in files or variables.';

const changing: ReadonlySet<string> = new Set([
  ...['bash', 'edit', 'multiedit', 'write', 'notebookedit', 'killshell', 'powershell'],
  ...['shell', 'exec_command', 'local_shell', 'unified_exec', 'apply_patch', 'patch'],
]);

const changedScript = 'A command runs a script that differs from where the work began (- before, + now):';

/** `mark` identifies the original input; `use` may be redacted. */
export function permissionAsk(use: ToolUse, mark: string = permissionMark(use.tool, use.input)): Ask {
  const tool = oneLine(use.tool);
  const what = whatOf(use);
  const text = [
    use.tool === changedScriptTool ? changedScript : `${tool} asks for:`,
    ...what.split('\n').map((line) => `| ${line}`),
    ...sideFields(use),
    ...reasonOf(use),
  ];
  return {
    kind: 'permission',
    text: [...text, `Mark: ${shownMark(mark)}`].join('\n'),
    options: [],
    permission: { tool, what, mark },
  };
}

/** Short fields first: long content cannot push a path off the card. */
function whatOf(use: ToolUse): string {
  const command = commandOf(use);
  if (command !== null) return shown(command, maxShownChars);
  const fields = Object.entries(use.input).map(([key, value]) => `${oneLine(key)}: ${plain(value)}`);
  const ordered = fields.toSorted((one, other) => one.length - other.length);
  return ordered.length === 0 ? '(nothing further)' : shown(ordered.join('\n'), maxShownChars);
}

/** Without the agent's description, which has no effect. */
function sideFields(use: ToolUse): readonly string[] {
  if (commandOf(use) === null) return [];
  const others = Object.entries(use.input).filter(([key]) => key !== 'command' && key !== 'description');
  const lines = others.map(([key, value]) => `| ${oneLine(key)}: ${oneLine(shown(plain(value), maxFieldChars))}`);
  const more = lines.length - maxFields;
  return more > 0 ? [...lines.slice(0, maxFields), `| and ${more} more fields`] : lines;
}

function reasonOf({ reason = '' }: ToolUse): readonly string[] {
  return reason.trim() === '' ? [] : [`Its reason: ${oneLine(shown(reason, maxFieldChars))}`];
}

function commandOf({ tool, input }: ToolUse): string | null {
  const { command } = input;
  if (!running.has(tool.toLowerCase())) return null;
  if (typeof command === 'string') return command;
  return Array.isArray(command) ? JSON.stringify(command) : null;
}

const running: ReadonlySet<string> = new Set(['bash', 'shell', 'powershell', 'exec_command', 'local_shell']);

function plain(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function shown(text: string, maxChars: number): string {
  if (text.length <= maxChars) return visible(text);
  return `${visible(text.slice(0, maxChars))}\n… cut: ${text.length - maxChars} of ${text.length} characters are not shown`;
}

export function oneLine(text: string): string {
  return visible(text.replaceAll(/\s+/g, ' ').trim());
}
