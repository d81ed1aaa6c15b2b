import { agentVersion } from '../agent-version.js';
import type { AdapterContext, AgentSeat, CodingAgent, OneShotAdapter, SessionAdapter } from '../port.js';
import { foldersUpFrom, ignoresCheckout, instructionsIn } from '../shared/checkout.js';
import { settingsHook, stopHook } from '../shared/hook-settings.js';
import {
  callLimitMs,
  commandLimits,
  freshSessionId,
  type McpServer,
  mcpServer,
  promptFor,
  resumedSession,
} from '../shared/seat.js';
import { identity } from './identity.js';
import { claudeRules, freeCommands } from './rules.js';
import { openClaude } from './session.js';
import { claudeReader } from './stream.js';

/** Disallowed: these reach outside the checkout, wait for events that never come, or outlast the attempt. */
const unseenTools = [
  ...['EnterWorktree', 'ExitWorktree', 'EnterPlanMode', 'ExitPlanMode'],
  ...['CronCreate', 'CronDelete', 'CronList', 'ScheduleWakeup', 'Workflow', 'SendMessage'],
];

/** For versions without JSON-lines input: their own tool asks Bosun. */
const once: OneShotAdapter = {
  // SIGTERM would lose the result line with the cost.
  stopSignal: 'SIGINT',
  launch: (seat, context) => ({
    args: argsFor(seat, context, toolAsking(seat, context)),
    input: promptOf(seat, context),
    env: { MCP_TIMEOUT: '30000', MCP_TOOL_TIMEOUT: String(callLimitMs(seat)), ...memoryEnv(seat) },
  }),
  reader: (seat, context) => claudeReader(seat, context),
};

const adapter: SessionAdapter = {
  open: (seat, context) => {
    const { env, input } = once.launch(seat, context);
    return openClaude(seat, context, { env, input, args: argsFor(seat, context, lineAsking(seat, context)) });
  },
  fallback: once,
};

interface Asking {
  readonly server: McpServer | null;
  readonly args: readonly string[];
  readonly mayAsk: boolean;
}

function toolAsking(seat: AgentSeat, { entry }: AdapterContext): Asking {
  const server = mcpServer(seat, entry, true);
  const mayAsk = seat.executor.permission === 'ask' && server !== null;
  return { server, mayAsk, args: mayAsk ? ['--permission-prompt-tool=mcp__bosun__permission_prompt'] : [] };
}

function lineAsking(seat: AgentSeat, { entry }: AdapterContext): Asking {
  const mayAsk = seat.executor.permission === 'ask' && seat.url !== '';
  const talk = ['--input-format=stream-json', '--replay-user-messages'];
  return {
    server: mcpServer(seat, entry),
    mayAsk,
    args: [...talk, ...(mayAsk ? ['--permission-prompt-tool=stdio'] : [])],
  };
}

function argsFor(seat: AgentSeat, context: AdapterContext, asking: Asking): readonly string[] {
  return [
    ...['-p', '--output-format', 'stream-json', '--verbose'],
    ...modelArgs(seat),
    ...settingArgs(seat),
    ...permissionArgs(seat, asking),
    ...sessionArgs(seat),
    ...budgetArgs(context),
    ...seat.executor.args,
  ];
}

export const claude: CodingAgent = {
  ...identity,
  adapter,
  reportsCost: 'always',
  probe: agentVersion,
  hook: settingsHook('.claude/settings.local.json'),
  terminal: ({ id, hook }) => ({
    args: ['--resume', id, ...(hook === null ? [] : ['--settings', JSON.stringify(stopHook(hook))])],
    env: {},
    files: {},
  }),
};

function modelArgs({ executor }: AgentSeat): readonly string[] {
  return executor.model === null ? [] : [`--model=${executor.model}`];
}

/**
 * Headless, Claude Code trusts the checkout's settings (hooks, MCP servers, rules). Adding the folder keeps CLAUDE.md,
 * which would go with them.
 */
function settingArgs(seat: AgentSeat): readonly string[] {
  return ignoresCheckout(seat) ? ['--setting-sources=user', `--add-dir=${seat.workdir}`] : [];
}

function memoryEnv(seat: AgentSeat): Readonly<Record<string, string>> {
  return ignoresCheckout(seat) ? { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1' } : {};
}

function promptOf(seat: AgentSeat, { entry }: AdapterContext): string {
  const prompt = promptFor(seat, entry, commandLimits(seat, freeCommands(seat)));
  if (!ignoresCheckout(seat) || resumedSession(seat) !== null) return prompt;
  // Adding a folder above would make it writable.
  const above = instructionsIn(foldersUpFrom(seat.workdir).slice(1), ['CLAUDE.md', '.claude/CLAUDE.md']);
  return above === '' ? prompt : `${above}\n\n${prompt}`;
}

function permissionArgs(seat: AgentSeat, { server, args, mayAsk }: Asking): readonly string[] {
  return [
    `--permission-mode=${modeOf(seat)}`,
    // One flag per rule: in a list, a comma in a path would split it.
    ...claudeRules(seat, server !== null).map((rule) => `--allowedTools=${rule}`),
    ...(server === null ? [] : [`--mcp-config=${JSON.stringify({ mcpServers: { bosun: server } })}`]),
    ...args,
    // A permission card cannot answer a question: the agent uses ask_human.
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
