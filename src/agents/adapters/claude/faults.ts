// The subtype may be "success" despite a failure, so `is_error` counts too.
import type { Fault } from '../../processes/run-process.js';
import { causeOf, cutShort, failed, isSessionGone, startFault } from '../shared/faults.js';
import { type Json, numberAt, textAt, textsAt, valueAt } from '../shared/foreign-json.js';
import { identity } from './identity.js';

export interface ClaudeEnd {
  readonly exit: number | null;
  readonly errors: string;
  readonly understood: number;
  readonly result: Json | null;
  readonly word: string | null;
  readonly waitMs: number | null;
  readonly now: number;
  readonly isAnswered: boolean;
}

export function claudeFault(end: ClaudeEnd): Fault | null {
  const { exit, errors, understood, result, now } = end;
  if (result === null) {
    if (exit === 0) return cutShort('claude', understood);
    return startFault('claude', errors) ?? causeOf(identity, { text: errors, status: null }, now);
  }
  const isError = valueAt(result, 'is_error');
  if (isError === false && textAt(result, 'subtype') === 'success') return null;
  if (typeof isError !== 'boolean') return cutShort('claude', 0);
  return faultIn(result, end);
}

function faultIn(result: Json, end: ClaudeEnd): Fault | null {
  const text = [textAt(result, 'result') ?? '', ...textsAt(result, 'errors')].join('\n').trim();
  const subtype = textAt(result, 'subtype');
  if (subtype === 'error_max_turns') {
    const hint = 'raise --max-turns in `args`, or make the step smaller';
    const said = text || 'it reached its turn limit';
    return { code: 'max_turns', message: `claude: ${said} (${hint})`, remedy: 'ask' };
  }
  if (subtype === 'error_max_budget_usd') {
    // Claude checks the budget after each call, even the final one.
    if (end.isAnswered) return null;
    return { code: 'budget', message: `claude: ${text || 'it spent its whole budget'}` };
  }
  if (isSessionGone(text)) return startFault('claude', text) ?? failed('claude', text);
  const word = words[end.word ?? ''] ?? '';
  const isTooLong = textAt(result, 'terminal_reason') === 'prompt_too_long';
  const complaint = {
    text: [text, isTooLong ? 'prompt is too long' : word].filter((one) => one !== '').join(' · '),
    status: numberAt(result, 'api_error_status'),
    waitMs: end.word === 'rate_limit' ? end.waitMs : null,
  };
  return causeOf(identity, complaint, end.now) ?? failed('claude', text);
}

/** Claude's codes in words that `causeOf` recognises. */
const words: Readonly<Record<string, string>> = {
  authentication_failed: 'authentication failed',
  billing_error: 'billing',
  rate_limit: 'rate limit',
  server_error: 'server error',
  overloaded: 'overloaded',
};
