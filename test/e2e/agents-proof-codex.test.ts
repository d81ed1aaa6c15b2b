import { proveAgents } from '../agents/proof/prove-agents.js';

proveAgents('Codex', 'fake ACP agent');
