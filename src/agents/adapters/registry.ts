// To add an agent: its folder here and its row below.
import { acp } from './acp/acp.js';
import { claude } from './claude/claude.js';
import { codex } from './codex/codex.js';
import { opencode } from './opencode/opencode.js';
import type { CodingAgent } from './port.js';

export const codingAgents: readonly CodingAgent[] = [
  // Messages list them in this order.
  claude,
  codex,
  opencode,
  acp,
];
