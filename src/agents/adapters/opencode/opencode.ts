// Builds the command line and configuration for headless OpenCode.

import { dirname, join, relative } from 'node:path';
import { attemptPaths } from '../../processes/environment.js';
import { agentVersion } from '../agent-version.js';
import type { AdapterContext, AgentAdapter, AgentSeat, CodingAgent } from '../port.js';
import { callLimitMs, mcpServer, promptFor, resumedSession } from '../shared/seat.js';
import { pluginHook } from './hook-plugin.js';
import { identity } from './identity.js';
import { opencodeReader } from './stream.js';

const adapter: AgentAdapter = {
  stopSignal: 'SIGTERM',
  launch: (seat, around) => {
    const resumed = resumedSession(seat);
    const { model, args } = seat.executor;
    return {
      args: [
        // OpenCode reports retries only in its log.
        ...['run', '--format', 'json', '--print-logs', '--log-level', 'ERROR'],
        ...(model === null ? [] : [`--model=${model}`]),
        ...(resumed === null ? [] : [`--session=${resumed}`]),
        ...args,
      ],
      input: promptFor(seat, around.entry),
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(configFor(seat, around)) },
    };
  },
  reader: opencodeReader,
};

export const opencode: CodingAgent = {
  ...identity,
  adapter,
  reportsCost: 'sometimes',
  probe: agentVersion,
  hook: pluginHook,
};

function configFor(seat: AgentSeat, { entry }: AdapterContext): object {
  const server = mcpServer(seat, entry);
  const bosun = server && {
    type: 'local',
    command: [server.command, ...server.args],
    enabled: true,
    timeout: callLimitMs(seat),
  };
  return { permission: permissionsFor(seat), ...(bosun === null ? {} : { mcp: { bosun } }) };
}

/** OpenCode cannot ask anyone in headless mode: it rejects a permission set to "ask" and ends. */
function permissionsFor(seat: AgentSeat): object {
  const { access, executor } = seat;
  if (executor.permission === 'bypass') return { '*': 'allow' };
  const open = executor.permission === 'ask' ? 'ask' : 'deny';
  return {
    bash: access === 'read' ? 'deny' : 'allow',
    edit: access === 'write' ? 'allow' : reportsOnly(seat),
    external_directory: {
      '*': open,
      ...Object.fromEntries(folders(seat).map((folder) => [join(folder, '**'), 'allow'])),
      ...Object.fromEntries(grantedPaths(seat).map((path) => [path, 'allow'])),
    },
    webfetch: open,
    ...Object.fromEntries(executor.tools.map((tool) => [tool, 'allow'])),
  };
}

/** Absolute paths that a person granted for the run. OpenCode also asks for a file's folder, so allow both. */
function grantedPaths({ grants = [] }: AgentSeat): readonly string[] {
  const paths = grants.flatMap(({ what }) => (what.startsWith('/') && !/[*\n]/.test(what) ? [what] : []));
  return paths.flatMap((path) => [path, join(dirname(path), '*')]);
}

function folders({ root, sharedDir }: AgentSeat): readonly string[] {
  return [...new Set([root, sharedDir])];
}

/** OpenCode matches paths relative to the checkout, or to the root of the disk without one. */
function reportsOnly(seat: AgentSeat): Readonly<Record<string, string>> {
  const { resultFile, handoffFile, editsFile, scratchFile, itemScratchFile, progressFile } = attemptPaths(seat);
  const named = [resultFile, handoffFile, editsFile, scratchFile, itemScratchFile, progressFile];
  const paths = ['.ai/*', '*/.ai/*', ...named.flatMap((file) => [relative(seat.workdir, file), `*${file.slice(1)}`])];
  return { '*': 'deny', ...Object.fromEntries(paths.map((path) => [path, 'allow'])) };
}
