import { z } from 'zod';
import type { AgentIdentity } from '../port.js';

export const identity: AgentIdentity = {
  kind: 'codex',
  title: 'Codex',
  coAuthor: 'Codex <noreply@openai.com>',
  keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  schema: { mode: z.enum(['app-server', 'exec'], 'must be app-server or exec').default('app-server') },
  permissions: ['ask', 'strict', 'deny', 'bypass'],
  login: 'log in with `codex login` as the user that Bosun runs as, or set pass_env: [CODEX_API_KEY]',
  install: 'npm install -g @openai/codex',
};
