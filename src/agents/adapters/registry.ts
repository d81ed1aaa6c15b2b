import type { AgentConfig } from '../../jobs/index.js';
import { claude } from './claude/claude.js';
import { codex } from './codex/codex.js';
import { opencode } from './opencode/opencode.js';
import type { AgentAdapter } from './port.js';

export const adapters: Readonly<Record<AgentConfig['kind'], AgentAdapter>> = { claude, codex, opencode };
