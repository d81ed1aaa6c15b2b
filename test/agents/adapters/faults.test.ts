import { describe, expect, it } from 'vitest';
import { identity as claude } from '../../../src/agents/adapters/claude/identity.js';
import { identity as codex } from '../../../src/agents/adapters/codex/identity.js';
import { causeOf, waitIn } from '../../../src/agents/adapters/shared/faults.js';
import { now } from './given-agent.js';

describe('the cause of a failure', () => {
  it.each([
    ['Credit balance is too low', null, 'not_logged_in', 'ask'],
    ['OAuth token has expired', 401, 'not_logged_in', 'ask'],
    ['You exceeded your current quota, please check your plan and billing details.', 429, 'not_logged_in', 'ask'],
    ['This request would exceed your rate limit', 429, 'rate_limited', 'wait'],
    ['Claude usage limit reached|1795003600', null, 'rate_limited', 'wait'],
    ['Overloaded', 529, 'overloaded', 'wait'],
    ['fetch failed', null, 'overloaded', 'wait'],
    ['getaddrinfo ENOTFOUND api.example.org', null, 'overloaded', 'wait'],
    ['prompt is too long: 250000 tokens > 200000 maximum', 400, 'context_too_long', 'ask'],
  ] as const)('"%s" (%s) is classified as %s', (text, status, code, remedy) => {
    expect(causeOf(claude, { text, status }, now)).toMatchObject({ code, remedy });
  });

  it('is unknown for an unknown message', () => {
    expect(causeOf(codex, { text: 'the model said something odd', status: 400 }, now)).toBeNull();
  });

  it('comes with a hint', () => {
    expect(causeOf(claude, { text: 'Not logged in', status: null }, now)?.message).toMatch(
      /claude \/login.*pass_env: \[ANTHROPIC_API_KEY\]/,
    );
  });
});

describe('the wait time of a rate limit', () => {
  it.each([
    ['Please try again in 1.5s.', 1500],
    ['try again in 20ms', 20],
    ['Try again in 6m0s', 360_000],
    ['retry after 2 minutes', 120_000],
    ['Retry-After: 37', 37_000],
    ['resets in 3 hours', 10_800_000],
    ['Claude AI usage limit reached|1795003600', 3_600_000],
    ['try again in 90 days', 7 * 24 * 3_600_000],
    ['try again later', null],
    ['usage limit reached|1000000000', null],
  ])('in "%s" is %s ms', (text, ms) => {
    expect(waitIn(text, now)).toBe(ms);
  });
});
