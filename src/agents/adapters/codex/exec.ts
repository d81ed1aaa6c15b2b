// `codex exec`: one prompt, one answer, no approvals.
import type { AdapterContext, AgentSeat, OneShotAdapter } from '../port.js';
import { callLimitMs, mcpServer, promptFor, resumedSession } from '../shared/seat.js';
import { agentsFiles, distrustArgs } from './checkout.js';
import { execReader } from './exec-reader.js';

export const codexExec: OneShotAdapter = {
  stopSignal: 'SIGTERM',
  launch: (seat, context) => {
    const resumed = resumedSession(seat);
    const { executor } = seat;
    return {
      args: [
        ...['exec', '--json', '--skip-git-repo-check', '--color=never'],
        ...accessArgs(seat),
        ...distrustArgs(seat),
        ...serverArgs(seat, context),
        ...(executor.model === null ? [] : [`--model=${executor.model}`]),
        ...executor.args,
        ...(resumed === null ? ['-'] : ['resume', resumed, '-']),
      ],
      input: [agentsFiles(seat), promptFor(seat, context.entry)].filter((part) => part !== '').join('\n\n'),
      env: codexEnv(seat),
    };
  },
  reader: execReader,
};

/** Codex logs its retry delay only there. */
export function codexEnv({ executor }: AgentSeat): Readonly<Record<string, string>> {
  return { RUST_LOG: executor.env['RUST_LOG'] ?? 'error,codex_core::responses_retry=warn' };
}

function accessArgs({ access, executor }: AgentSeat): readonly string[] {
  if (executor.permission === 'bypass') return ['--dangerously-bypass-approvals-and-sandbox'];
  return [`--sandbox=${access === 'read' ? 'read-only' : 'workspace-write'}`];
}

const fileVariables = [
  ...['BOSUN_HANDOFF_FILE', 'BOSUN_SCRATCH_FILE', 'BOSUN_ITEM_SCRATCH_FILE', 'BOSUN_PROGRESS_FILE'],
  ...['BOSUN_STEP', 'BOSUN_ATTEMPT'],
];

export function serverArgs(seat: AgentSeat, { entry }: AdapterContext): readonly string[] {
  const server = mcpServer(seat, entry);
  if (server === null) return [];
  const set = (key: string, value: unknown): readonly string[] => [
    '-c',
    `mcp_servers.bosun.${key}=${JSON.stringify(value)}`,
  ];
  return [
    ...set('command', server.command),
    ...set('args', server.args),
    // Names only: Codex passes the values on.
    ...set('env_vars', ['BOSUN_URL', 'BOSUN_TOKEN', 'BOSUN_TASK', ...fileVariables]),
    // Without `permission_prompt`: a model calling it would show cards that allow nothing.
    ...set('enabled_tools', ['ask_human', 'report_progress', 'report', 'note', 'progress_log']),
    ...set('tool_timeout_sec', Math.ceil(callLimitMs(seat) / 1000)),
    // The default would ask about every call, which headless mode cannot answer.
    ...set('default_tools_approval_mode', 'approve'),
  ];
}
