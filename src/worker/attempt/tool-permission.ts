// What becomes of an agent's request to use a tool: refused at once, or a card that shows exactly what is asked for.

import { permissionMark, shownMark } from '../../agents/index.js';
import { visible } from '../../base/index.js';
import type { Ask } from '../../engine/index.js';
import type { AttemptSpec } from '../../jobs/index.js';

export interface ToolUse {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** So much is shown; what is longer is cut, and says so. */
const maxShownChars = 2_000;
/** Nobody is asked about a command of which he would see so little. */
const maxCommandChars = 8_000;
/** Of a field beside the one that matters. */
const maxFieldChars = 300;
const maxFields = 12;

/** Null: a person may be asked. */
export function whyRefused({ tool, input }: ToolUse, access: AttemptSpec['access']): string | null {
  if (access === 'read' && changing.has(tool.toLowerCase())) {
    return `This step only reads; ${tool} is not for it. Go on without it.`;
  }
  const chars = commandOf({ tool, input })?.length ?? 0;
  if (chars <= maxCommandChars) return null;
  return `The command has ${chars} characters, and nobody is asked about more than ${maxCommandChars}. Use shorter commands.`;
}

/**
 * Whether what looks like a secret took along what is none. No secret that is passed on by itself holds anything but these
 * letters; and nobody may be asked about a command of which a part that does something is not shown.
 */
export function hidesWork(whole: string, shown: string): boolean {
  const working = (text: string) => text.replaceAll(/[\w.~+/=:%@,[\]-]/g, '').length;
  return working(whole) > working(shown);
}

/** What its agent is told then. */
export const hiddenWork =
  'Something in it looks like a secret, and hiding that would hide more of it from whoever is asked. Pass secrets in files or variables.';

/** Tools that write or run, as the agents call them. */
const changing: ReadonlySet<string> = new Set([
  ...['bash', 'edit', 'multiedit', 'write', 'notebookedit', 'killshell', 'powershell'],
  ...['shell', 'exec_command', 'local_shell', 'unified_exec', 'apply_patch', 'patch'],
]);

/** `mark` is that of the input as it is, where secrets were taken out of the one that is shown. */
export function permissionAsk(
  use: ToolUse,
  expiresAt: number,
  mark: string = permissionMark(use.tool, use.input),
): Ask {
  const tool = oneLine(use.tool);
  const what = whatOf(use);
  const text = [`${tool} asks for:`, ...what.split('\n').map((line) => `| ${line}`), ...sideFields(use)];
  const fate = `Mark: ${shownMark(mark)} · refused at ${clock(expiresAt)} if nobody answers.`;
  return { kind: 'permission', text: [...text, fate].join('\n'), options: [], permission: { tool, what, mark } };
}

/** The command itself, else the whole input with what is short first, so that no long content hides a path. */
function whatOf(use: ToolUse): string {
  const command = commandOf(use);
  if (command !== null) return shown(command, maxShownChars);
  const fields = Object.entries(use.input).map(([key, value]) => `${oneLine(key)}: ${plain(value)}`);
  const ordered = fields.toSorted((one, other) => one.length - other.length);
  return ordered.length === 0 ? '(nothing further)' : shown(ordered.join('\n'), maxShownChars);
}

/** What a command comes with besides itself; what the agent says about it is no part of what it does. */
function sideFields(use: ToolUse): readonly string[] {
  if (commandOf(use) === null) return [];
  const others = Object.entries(use.input).filter(([key]) => key !== 'command' && key !== 'description');
  const lines = others.map(([key, value]) => `| ${oneLine(key)}: ${oneLine(shown(plain(value), maxFieldChars))}`);
  const more = lines.length - maxFields;
  return more > 0 ? [...lines.slice(0, maxFields), `| and ${more} fields more`] : lines;
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

function clock(at: number): string {
  const date = new Date(at);
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`;
}
