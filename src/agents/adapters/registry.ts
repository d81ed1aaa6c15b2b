// The coding agents that Bosun ships. To add one: its folder here, and its row in this list.
import { acp } from './acp/acp.js';
import { claude } from './claude/claude.js';
import { codex } from './codex/codex.js';
import { opencode } from './opencode/opencode.js';
import type { CodingAgent } from './port.js';

export const codingAgents: readonly CodingAgent[] = [
  // In the order in which messages list them.
  claude,
  codex,
  opencode,
  acp,
];
