import type { AgentIdentity } from '../port.js';

export const identity: AgentIdentity = {
  kind: 'opencode',
  title: 'OpenCode',
  keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'],
  schema: {},
  permissions: ['ask', 'deny', 'bypass'],
  login: 'log in with `opencode auth login`, or pass_env the key of its provider',
  install: 'npm install -g opencode-ai',
};
