// The coding agents that Bosun supports: their names as config.yaml spells them, and the variables that may hold their
// credentials. An adapter for each is in agents/adapters.

export const agentKinds = ['claude', 'codex', 'opencode'] as const;

export type AgentKind = (typeof agentKinds)[number];

export const credentialKeys: Readonly<Record<AgentKind, readonly string[]>> = {
  claude: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'],
  codex: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  opencode: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'],
};
