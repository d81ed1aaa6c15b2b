// Claude Code, headless: which flags it gets.

import type { AdapterContext, AgentAdapter, AgentSeat } from '../port.js';
import { callLimitMs, freshSessionId, mcpServer, promptFor, resumedSession } from '../shared/seat.js';
import { claudeRules } from './rules.js';
import { claudeReader } from './stream.js';

/** Tools that work where Bosun does not look, wait for what never comes, or outlast the attempt. */
const unseenTools = [
  ...['EnterWorktree', 'ExitWorktree', 'EnterPlanMode', 'ExitPlanMode'],
  ...['CronCreate', 'CronDelete', 'CronList', 'ScheduleWakeup', 'Workflow', 'SendMessage'],
];

export const claude: AgentAdapter = {
  kind: 'claude',
  // SIGTERM ends it without its last line, and so without its cost.
  stopSignal: 'SIGINT',
  launch: (seat, around) => ({
    args: [
      ...['-p', '--output-format', 'stream-json', '--verbose'],
      ...modelArgs(seat),
      ...permissionArgs(seat, around),
      ...sessionArgs(seat),
      ...budgetArgs(around),
      ...seat.executor.args,
    ],
    input: promptFor(seat, around.entry),
    env: { MCP_TIMEOUT: '30000', MCP_TOOL_TIMEOUT: String(callLimitMs(seat)) },
  }),
  reader: claudeReader,
};

function modelArgs({ executor }: AgentSeat): readonly string[] {
  return executor.model === null ? [] : [`--model=${executor.model}`];
}

function permissionArgs(seat: AgentSeat, { entry }: AdapterContext): readonly string[] {
  const server = mcpServer(seat, entry);
  const { permission } = seat.executor;
  const mayAsk = permission === 'ask' && server !== null;
  return [
    `--permission-mode=${modeOf(seat)}`,
    // One flag for each: in a list of several, a comma in a path would end a rule.
    ...claudeRules(seat, server !== null).map((rule) => `--allowedTools=${rule}`),
    ...(server === null ? [] : [`--mcp-config=${JSON.stringify({ mcpServers: { bosun: server } })}`]),
    ...(mayAsk ? ['--permission-prompt-tool=mcp__bosun__permission_prompt'] : []),
    // A permission card cannot answer a question: that is what ask_human is for.
    `--disallowedTools=${[...unseenTools, ...(mayAsk ? ['AskUserQuestion'] : [])].join(',')}`,
  ];
}

function modeOf({ access, executor }: AgentSeat): string {
  if (executor.permission === 'bypass') return 'bypassPermissions';
  return access === 'write' ? 'acceptEdits' : 'default';
}

function sessionArgs(seat: AgentSeat): readonly string[] {
  const resumed = resumedSession(seat);
  return [resumed === null ? `--session-id=${freshSessionId(seat)}` : `--resume=${resumed}`];
}

function budgetArgs({ leftUsd }: AdapterContext): readonly string[] {
  return leftUsd === null ? [] : [`--max-budget-usd=${Math.max(leftUsd, 0.0001).toFixed(4)}`];
}
