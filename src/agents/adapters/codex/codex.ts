// Builds the command line for headless Codex.

import { agentVersion } from '../agent-version.js';
import type { AdapterContext, AgentAdapter, AgentSeat, CodingAgent } from '../port.js';
import { settingsHook } from '../shared/hook-settings.js';
import { callLimitMs, mcpServer, promptFor, resumedSession } from '../shared/seat.js';
import { identity } from './identity.js';
import { codexReader } from './stream.js';

const adapter: AgentAdapter = {
  stopSignal: 'SIGTERM',
  launch: (seat, around) => {
    const resumed = resumedSession(seat);
    const { executor } = seat;
    return {
      args: [
        ...['exec', '--json', '--skip-git-repo-check', '--color=never'],
        ...accessArgs(seat),
        ...serverArgs(seat, around),
        ...(executor.model === null ? [] : [`--model=${executor.model}`]),
        ...executor.args,
        ...(resumed === null ? ['-'] : ['resume', resumed, '-']),
      ],
      input: promptFor(seat, around.entry),
      // Codex reports its retry delay only in this log.
      env: { RUST_LOG: executor.env['RUST_LOG'] ?? 'error,codex_core::responses_retry=warn' },
    };
  },
  reader: codexReader,
};

export const codex: CodingAgent = {
  ...identity,
  adapter,
  reportsCost: 'never',
  probe: agentVersion,
  hook: {
    ...settingsHook('.codex/hooks.json'),
    notes: [
      '→ Codex asks before it runs a hook: start codex in the project once, trust the folder, and say yes to the hook',
      '  (/hooks lists it). Until then its sessions report nothing.',
    ],
  },
};

/** Codex cannot ask for approval of a command, so whatever the sandbox denies simply fails. */
function accessArgs({ access, executor }: AgentSeat): readonly string[] {
  if (executor.permission === 'bypass') return ['--dangerously-bypass-approvals-and-sandbox'];
  return [`--sandbox=${access === 'read' ? 'read-only' : 'workspace-write'}`];
}

function serverArgs(seat: AgentSeat, { entry }: AdapterContext): readonly string[] {
  const server = mcpServer(seat, entry);
  if (server === null) return [];
  const set = (key: string, value: unknown): readonly string[] => [
    '-c',
    // JSON strings and string arrays are valid TOML.
    `mcp_servers.bosun.${key}=${JSON.stringify(value)}`,
  ];
  return [
    ...set('command', server.command),
    ...set('args', server.args),
    // Names only: Codex passes the values on from its own environment.
    ...set('env_vars', ['BOSUN_URL', 'BOSUN_TOKEN', 'BOSUN_TASK']),
    ...set('tool_timeout_sec', Math.ceil(callLimitMs(seat) / 1000)),
    // The default would require an approval for every call, which no one can give in headless mode.
    ...set('default_tools_approval_mode', 'approve'),
  ];
}
