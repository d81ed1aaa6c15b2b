// Recognises known causes of failure, with code and remedy, in an agent's output.
import type { Fault } from '../../processes/run-process.js';
import type { AgentIdentity } from '../port.js';
import { fewWords } from './action-words.js';

export interface Complaint {
  readonly text: string;
  readonly status: number | null;
  /** Set if reported outside the text. */
  readonly waitMs?: number | null;
}

const maxSaidChars = 300;

export function causeOf(
  { kind, login }: Pick<AgentIdentity, 'kind' | 'login'>,
  complaint: Complaint,
  now: number,
): Fault | null {
  const { status } = complaint;
  const text = complaint.text.slice(0, 8000);
  const said = (code: string, remedy: 'ask' | 'wait', hint: string): Fault => ({
    code,
    message: `${kind}: ${fewWords(text, maxSaidChars) || `status ${status ?? 'unknown'}`}${hint === '' ? '' : ` (${hint})`}`,
    remedy,
  });
  if (tooLong.test(text) || status === 413) {
    return said('context_too_long', 'ask', 'make the step smaller, or start a fresh session');
  }
  // Accounts without credit get 429 or 400 too: test the login first.
  if (noLogin.test(text) || status === 401 || status === 402 || status === 403) {
    return said('not_logged_in', 'ask', login);
  }
  const waitMs = complaint.waitMs ?? waitIn(text, now);
  const wait = waitMs === null ? {} : { waitMs };
  if (limited.test(text) || status === 429) return { ...said('rate_limited', 'wait', ''), ...wait };
  if (overloaded.test(text) || (status !== null && status >= 500) || status === 408) {
    return { ...said('overloaded', 'wait', ''), ...wait };
  }
  return null;
}

const tooLong =
  /prompt is too long|context[ _-]?(length|window)|maximum context|ContextOverflow|out of room|too many (input )?tokens|input is too long/i;
const noLogin =
  /not logged in|log ?in (again|first|to)|\/login\b|invalid (x-)?api[ -]key|incorrect api key|api key (is )?(missing|not found|required)|missing (an? )?(environment variable|api[ -]key)|authentication|unauthori[sz]ed|credit balance|insufficient_quota|quota exceeded|exceeded your current quota|billing|token (has )?expired|no credentials/i;
const limited = /rate[ _-]?limit|too many requests|usage limit|hit your .{0,30}limit|limit reached/i;
const overloaded =
  /overloaded|high demand|internal server error|server (had an )?error|server-side issue|bad gateway|service unavailable|gateway time-?out|unable to connect|connection (refused|reset|failed|error|closed)|fetch failed|stream disconnected|waiting for network|dns|ENOTFOUND|ECONN\w+|ETIMEDOUT|timed? ?out|empty or malformed response|socket hang up/i;

export function notInstalled(agent: Pick<AgentIdentity, 'install'>, program: string): Fault {
  return {
    code: 'not_installed',
    message: `cannot find the program "${program}"; ${installHint(agent)}`,
    remedy: 'ask',
  };
}

export function installHint({ install }: Pick<AgentIdentity, 'install'>): string {
  return `install it (${install}) or set \`program\` of the executor in config.yaml`;
}

/** The program is too old for a conversation, or was given unsuitable arguments. */
export const cannotConverse = 'cannot_converse';

export function failed(kind: string, text: string): Fault {
  return {
    code: 'agent_failed',
    message: `${kind}: ${fewWords(text, maxSaidChars) || 'it failed and printed nothing'}`,
  };
}

/** Exit 0 without a completed turn. */
export function cutShort(kind: string, understood: number): Fault {
  if (understood > 0) {
    return { code: 'cut_short', message: `${kind} stopped in the middle of its work: its output is incomplete` };
  }
  return {
    code: 'unknown_output',
    message: `Bosun understood nothing that ${kind} printed; use a version that it supports (see docs/agents.md), or run it as a command`,
    remedy: 'ask',
  };
}

export function startFault(kind: string, errors: string): Fault | null {
  const said = fewWords(errors, maxSaidChars);
  if (/Session ID \S+ is already in use/i.test(errors)) {
    return {
      code: 'session_in_use',
      message: `${kind}: ${said}; this attempt already started once, so it needs another try`,
    };
  }
  if (isSessionGone(errors)) return { code: 'session_gone', message: `${kind}: ${said}` };
  if (/root\/sudo privileges/i.test(errors)) {
    const hint = 'run Bosun as another user, or set env: {IS_SANDBOX: "1"} where this machine is a sandbox';
    return { code: 'refused_as_root', message: `${kind}: ${said} (${hint})`, remedy: 'ask' };
  }
  if (/unknown option|unexpected argument|unknown argument|invalid value .* for|error loading config/i.test(errors)) {
    return { code: 'bad_arguments', message: `${kind}: ${said} (correct \`args\` of the executor)`, remedy: 'ask' };
  }
  return null;
}

export function isSessionGone(text: string): boolean {
  return /No conversation found|no rollout found|session not found|thread not found/i.test(text);
}

// Caps a wait read from a message.
const maxWaitMs = 7 * 24 * 3_600_000;

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Null: the message names no wait. */
export function waitIn(text: string, now: number): number | null {
  const span =
    /(?:try again in|retry (?:in|after)|retry-after:?|resets? in|wait)\s+((?:\d+(?:\.\d+)?\s*[a-z]*\s*)+)/i.exec(text);
  if (span?.[1] !== undefined) return bounded(spanMs(span[1]));
  // Unix seconds.
  const at = /limit reached\|(\d{10})\b/i.exec(text)?.[1];
  return at === undefined ? null : untilSeconds(Number(at), now);
}

export function untilSeconds(seconds: number, now: number): number | null {
  return bounded(seconds * 1000 - now);
}

function spanMs(text: string): number {
  let sum = 0;
  for (const [, count, word] of text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]*)/gi)) {
    sum += Number(count) * unitMs((word ?? '').toLowerCase());
  }
  return sum;
}

function unitMs(word: string): number {
  if (word === '' || word.startsWith('sec')) return 1000;
  if (word.startsWith('min')) return 60_000;
  if (word.startsWith('hour') || word.startsWith('hr')) return 3_600_000;
  if (word.startsWith('day')) return 86_400_000;
  return unitsMs[word] ?? 0;
}

function bounded(ms: number): number | null {
  return ms > 0 && Number.isFinite(ms) ? Math.min(Math.ceil(ms), maxWaitMs) : null;
}
