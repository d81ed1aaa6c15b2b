import { z } from 'zod';
import type { AgentIdentity } from '../port.js';

export const identity: AgentIdentity = {
  kind: 'opencode',
  title: 'OpenCode',
  coAuthor: 'opencode <noreply@opencode.ai>',
  keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'],
  schema: { mode: z.enum(['serve', 'run'], 'must be serve or run').default('serve') },
  permissions: ['ask', 'deny', 'bypass'],
  login: 'log in with `opencode auth login`, or pass_env the key of its provider',
  install: 'npm install -g opencode-ai',
};
