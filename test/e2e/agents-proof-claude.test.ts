import { proveAgents } from '../agents/proof/prove-agents.js';

proveAgents('Claude Code', 'claude-agent-acp');
