import { proveAgents } from '../agents/proof/prove-agents.js';

proveAgents('opencode acp');
