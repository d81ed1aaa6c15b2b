import type { AgentIdentity } from '../port.js';

export const identity: AgentIdentity = {
  kind: 'claude',
  title: 'Claude Code',
  coAuthor: 'Claude <noreply@anthropic.com>',
  keys: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'],
  schema: {},
  permissions: ['ask', 'deny', 'bypass'],
  login: 'log in with `claude /login` as the user that Bosun runs as, or set pass_env: [ANTHROPIC_API_KEY]',
  install: 'npm install -g @anthropic-ai/claude-code',
};
