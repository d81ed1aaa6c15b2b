// Decides which OpenCode requests a rule answers.
import { resolve } from 'node:path';
import { z } from 'zod';
import type { AgentRequest, AgentSeat } from '../../port.js';
import { commandRuling, editsUnasked } from '../../shared/own-rules.js';
import { cutInput, cutPatch } from '../../shared/patch-input.js';
import { reportFiles } from '../settings.js';

/** ask-first.js puts it before each command. */
const prefix = ':; ';
export const unseen = 'Bosun’s plugin ask-first.js did not see it, so it may not have been loaded';

const text = (maxChars: number) => z.string().max(maxChars);
const file = z.looseObject({
  filePath: text(4_096),
  movePath: text(4_096).optional(),
  type: text(50),
  patch: z.string(),
});

export const askedPermission = z.looseObject({
  id: z.string().regex(/^per_\w{1,100}$/),
  sessionID: z.string().regex(/^ses_\w{1,100}$/),
  permission: text(200).min(1),
  patterns: z.array(text(200_000)).max(1_000),
  metadata: z
    .looseObject({
      command: z.string().optional(),
      filepath: z.string().optional(),
      diff: z.string().optional(),
      files: z.array(file).optional(),
    })
    .default({}),
  tool: z.looseObject({ messageID: text(200), callID: text(200) }).optional(),
});

export type AskedPermission = z.infer<typeof askedPermission>;

export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type Ruling =
  | { readonly kind: 'ask'; readonly request: AgentRequest }
  | { readonly kind: 'allowed'; readonly request: AgentRequest }
  /** OpenCode asks in a way not configured, so trust nothing. */
  | { readonly kind: 'unguarded'; readonly why: string };

/** The input without the plugin's mark, for the log. */
export function asCalled(input: ToolCall['input']): ToolCall['input'] {
  const { command } = input;
  const isPrefixed = typeof command === 'string' && command.startsWith(prefix);
  return isPrefixed ? { ...input, command: command.slice(prefix.length) } : input;
}

/** `call` null: no tool call asks. */
export function ruleOn(asked: AskedPermission, call: ToolCall | null, seat: AgentSeat): Ruling {
  const { permission, metadata } = asked;
  switch (permission) {
    case 'bash': {
      const command = bareCommand(metadata.command, call);
      if (command === null) return { kind: 'unguarded', why: `a request for a command: ${unseen}` };
      const folder = call?.input['workdir'];
      const cwd = typeof folder === 'string' ? resolve(seat.workdir, folder) : seat.workdir;
      const ruling = isOpened('bash', seat) ? 'allowed' : commandRuling(command, cwd, seat);
      if (ruling === 'allowed' || ruling === null) return ruled(ruling === 'allowed', asked, { command, cwd });
      return ruled(false, asked, ruling.input, ruling.tool);
    }
    case 'edit':
      return ruleOnEdit(asked, seat);
    case 'external_directory':
      return ruled(isAskedAgain(asked, call, seat), asked, inputOf(asked, call));
    default:
      return ruled(false, asked, inputOf(asked, call));
  }
}

function ruled(
  isAllowed: boolean,
  asked: AskedPermission,
  input: Readonly<Record<string, unknown>>,
  tool = asked.permission,
): Ruling {
  const { id, sessionID, tool: from } = asked;
  const turn = from?.messageID ?? sessionID;
  const request: AgentRequest = { kind: 'permission', id, turn, tool, input, reason: null };
  return { kind: isAllowed ? 'allowed' : 'ask', request };
}

/** Null: the plugin did not see it, or another call's command. */
function bareCommand(command: string | undefined, call: ToolCall | null): string | null {
  if (command === undefined || !command.startsWith(prefix)) return null;
  const bare = command.slice(prefix.length);
  const said = call?.input['command'];
  // As the model made it, or as the plugin left it.
  return said === bare || said === command ? bare : null;
}

function ruleOnEdit(asked: AskedPermission, seat: AgentSeat): Ruling {
  const { filepath, diff, files } = asked.metadata;
  const changes =
    files?.map((one) => ({
      change: one.movePath === undefined ? one.type : `${one.type} to ${one.movePath}`,
      path: one.filePath,
      diff: one.patch,
    })) ?? (filepath === undefined ? [] : [{ change: 'edit', path: filepath, diff: diff ?? '' }]);
  const paths = files?.flatMap(({ filePath, movePath }) => [filePath, movePath ?? filePath]) ?? [filepath ?? ''];
  const reports = reportFiles(seat);
  const isOwn = (path: string) => path !== '' && (reports.includes(path) || editsUnasked(path, seat));
  const isRuled = isOpened('edit', seat) || (paths.length > 0 && paths.every(isOwn));
  return ruled(isRuled, asked, changes.length === 0 ? cutInput({ ...asked.metadata }) : cutPatch(changes));
}

/** Outside the project OpenCode asks twice; the second request tells all. */
function isAskedAgain({ metadata }: AskedPermission, call: ToolCall | null, seat: AgentSeat): boolean {
  if (metadata.command !== undefined || call?.tool === 'bash') return !isOpened('bash', seat);
  return ['edit', 'write', 'apply_patch', 'patch'].includes(call?.tool ?? '') && !isOpened('edit', seat);
}

function inputOf({ patterns, metadata }: AskedPermission, call: ToolCall | null) {
  return cutInput({ ...(call?.input ?? metadata), patterns });
}

/** `tools` may name a whole OpenCode permission. */
function isOpened(permission: string, { executor: { tools } }: AgentSeat): boolean {
  return tools.includes(permission);
}
