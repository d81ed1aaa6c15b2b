// The command that `bosun open --print` shows, which people copy into chats and tickets.
import { expect, it } from 'vitest';
import { assignments } from '../../src/cli/handoff/open.js';
import { agentConfig } from '../agents/adapters/given-agent.js';

it('names a variable that holds a secret, without its value', () => {
  const env = { ANTHROPIC_API_KEY: 'sk-ant-1234567', ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000', NOTE: 'it is mine' };
  expect(assignments(agentConfig('claude', { env }), { MODE: 'plan' })).toEqual([
    'ANTHROPIC_API_KEY="$ANTHROPIC_API_KEY"',
    'ANTHROPIC_BASE_URL=http://127.0.0.1:4000',
    "NOTE='it is mine'",
    'MODE=plan',
  ]);
  expect(assignments(null, {})).toEqual([]);
});
