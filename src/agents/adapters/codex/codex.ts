// Codex, headless: which flags it gets.

import type { AdapterContext, AgentAdapter, AgentSeat } from '../port.js';
import { callLimitMs, mcpServer, promptFor, resumedSession } from '../shared/seat.js';
import { codexReader } from './stream.js';

export const codex: AgentAdapter = {
  kind: 'codex',
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
      // How long it waits after an error it tells in its log alone.
      env: { RUST_LOG: executor.env['RUST_LOG'] ?? 'error,codex_core::responses_retry=warn' },
    };
  },
  reader: codexReader,
};

/** Its sandbox is the rule: it has no way to ask about a command, so that what the sandbox holds back just fails. */
function accessArgs({ access, executor }: AgentSeat): readonly string[] {
  if (executor.permission === 'bypass') return ['--dangerously-bypass-approvals-and-sandbox'];
  return [`--sandbox=${access === 'read' ? 'read-only' : 'workspace-write'}`];
}

function serverArgs(seat: AgentSeat, { entry }: AdapterContext): readonly string[] {
  const server = mcpServer(seat, entry);
  if (server === null) return [];
  const set = (key: string, value: unknown): readonly string[] => [
    '-c',
    // A string or a list of strings is the same in TOML and in JSON.
    `mcp_servers.bosun.${key}=${JSON.stringify(value)}`,
  ];
  return [
    ...set('command', server.command),
    ...set('args', server.args),
    // Only names: it hands their values on itself.
    ...set('env_vars', ['BOSUN_URL', 'BOSUN_TOKEN', 'BOSUN_TASK']),
    ...set('tool_timeout_sec', Math.ceil(callLimitMs(seat) / 1000)),
    // Without it, every call would need an approval that nobody can give.
    ...set('default_tools_approval_mode', 'approve'),
  ];
}
