import { createHash } from 'node:crypto';
import { type AgentConfig, isAgent } from '../../../jobs/index.js';
import type { Seat } from '../../processes/environment.js';
import type { AgentSeat } from '../port.js';

/** The server inherits the token. */
export interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
}

const startMs = 60_000;

export function agentSeatOf(seat: Seat): AgentSeat | null {
  const { executor, agentRole } = seat;
  if (executor === null || !isAgent(executor)) return null;
  const own = agentRole !== null && Object.hasOwn(executor.roles, agentRole) ? executor.roles[agentRole] : undefined;
  return { ...seat, executor: { ...executor, ...set(own), env: { ...executor.env, ...own?.env } } };
}

function set(
  own: AgentConfig['roles'][string] | undefined,
): Partial<Pick<AgentConfig, 'model' | 'args' | 'permission' | 'tools'>> {
  return {
    ...(own?.model === undefined ? {} : { model: own.model }),
    ...(own?.args === undefined ? {} : { args: own.args }),
    ...(own?.permission === undefined ? {} : { permission: own.permission }),
    ...(own?.tools === undefined ? {} : { tools: own.tools }),
  };
}

export const printSession = (kind: string, id: string): string => `${kind}:${id}`;

/** Null: start fresh, also after another program's session. */
export function resumedSession({ resume, executor }: AgentSeat): string | null {
  const [kind, id] = (resume?.session ?? '').split(/:(.*)/s);
  // Security: an id must not pass for an option.
  return kind === executor.kind && id !== undefined && /^[A-Za-z0-9][\w-]{0,99}$/.test(id) ? id : null;
}

/** `limits`: what may run unasked. */
export function promptFor(seat: AgentSeat, entry: string | null, limits = ''): string {
  return promptWith(seat, mcpServer(seat, entry) === null ? null : 'the MCP server `bosun`', limits);
}

/** `way` null: no one can be asked. A resumed session knows it already. */
export function promptWith(seat: AgentSeat, way: string | null, limits = ''): string {
  if (resumedSession(seat) !== null) return seat.resume?.prompt ?? seat.prompt;
  const more = [limits, way === null ? '' : whomToAsk(way)].filter((part) => part !== '');
  return more.length === 0 ? seat.prompt : `${seat.prompt.trimEnd()}\n\n${more.join('\n')}\n`;
}

export function commandLimits(seat: AgentSeat, free: readonly string[]): string {
  if (seat.executor.permission === 'bypass') return '';
  const named = free.map((line) => `\`${line}\``).join(', ');
  const first = free.length === 0 ? '' : `These commands run without asking: ${named}. `;
  return `${first}Other commands ${whatAskingCosts(seat)}`;
}

/** Completes a sentence about calls that need permission. */
export function whatAskingCosts({ executor: { permission, answerWithinMs }, url }: AgentSeat): string {
  if (permission === 'deny' || url === '') return 'may be refused: do without them.';
  const minutes = Math.ceil(answerWithinMs / 60_000);
  return `may wait up to ${minutes} minutes for a person: run only what the step needs.`;
}

const whomToAsk = (way: string) =>
  `No permission is needed for ${way}: \`ask_human\` for what only a person can decide (without an answer report needs_human), \`report_progress\`, \`report\` in place of the handoff file, \`note\` for later steps, \`progress_log\`.`;

/**
 * Deterministic per attempt and member: Claude accepts an id once, so a redelivered job cannot begin twice. The token
 * separates homes.
 */
export function freshSessionId({ attempt, role, token }: AgentSeat): string {
  const hex = createHash('sha256')
    .update([attempt, role ?? '', token].join('\n'))
    .digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Null: no URL or script. `permission_prompt` only for programs that call it themselves: a model's call could show
 * people cards that allow nothing.
 */
export function mcpServer({ url }: AgentSeat, entry: string | null, callsPermissionPrompt = false): McpServer | null {
  if (url === '' || entry === null) return null;
  const limits = callsPermissionPrompt ? [] : ['--no-permission-prompt'];
  return { command: process.execPath, args: [entry, 'mcp', ...limits] };
}

/** Covers a person's time and the startup. */
export function callLimitMs({ executor }: AgentSeat): number {
  return executor.answerWithinMs + startMs;
}
