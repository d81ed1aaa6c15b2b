// Environment variables; OPENCODE_PERMISSION is read last.
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { attemptPaths } from '../../processes/environment.js';
import type { AdapterContext, AgentSeat } from '../port.js';
import { callLimitMs, mcpServer } from '../shared/seat.js';

type Action = 'allow' | 'ask' | 'deny';

/** One action, or one per pattern; the last match counts. */
type Permissions = Readonly<Record<string, Action | Readonly<Record<string, Action>>>>;

export function environmentFor(
  seat: AgentSeat,
  around: AdapterContext,
  permission: Permissions,
  own: object = {},
): Readonly<Record<string, string>> {
  const isBypassed = seat.executor.permission === 'bypass';
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      permission,
      ...serverFor(seat, around),
      ...(isBypassed ? {} : { instructions: instructionsOf(seat), lsp: false, formatter: false }),
      ...own,
    }),
    OPENCODE_PERMISSION: JSON.stringify(permission),
    // Security: a checkout's configuration could allow everything and start programs unasked.
    ...(isBypassed ? {} : { OPENCODE_DISABLE_PROJECT_CONFIG: '1' }),
  };
}

function serverFor(seat: AgentSeat, { entry }: AdapterContext): object {
  const server = mcpServer(seat, entry);
  if (server === null) return {};
  const command = [server.command, ...server.args];
  return { mcp: { bosun: { type: 'local', command, enabled: true, timeout: callLimitMs(seat) } } };
}

/** OpenCode skips these with the project's configuration. It reads the first that exists. */
function instructionsOf({ workdir }: AgentSeat): readonly string[] {
  const paths = ['AGENTS.md', 'CLAUDE.md'].map((name) => join(workdir, name));
  return paths.filter((path) => existsSync(path)).slice(0, 1);
}

/** `opencode run` rejects each "ask" and ends. */
export function runPermissions(seat: AgentSeat): Permissions {
  const { access, executor } = seat;
  if (executor.permission === 'bypass') return { '*': 'allow' };
  const open = executor.permission === 'ask' ? 'ask' : 'deny';
  return {
    bash: access === 'read' ? 'deny' : 'allow',
    edit: access === 'write' ? 'allow' : reportsOnly(seat, 'allow'),
    external_directory: { '*': open, ...allowing(folders(seat)), ...allowing(grantedPaths(seat)) },
    webfetch: open,
    ...allowing(executor.tools),
  };
}

/** In `opencode serve` Bosun answers each "ask". */
export function servePermissions(seat: AgentSeat): Permissions {
  const { access, executor } = seat;
  if (executor.permission === 'bypass') return { '*': 'allow' };
  return {
    '*': 'ask',
    read: { '*': 'allow', '*.env': 'ask', '*.env.*': 'ask', '*.env.example': 'allow' },
    ...allowing(['glob', 'grep', 'list', 'lsp', 'skill', 'task', 'todoread', 'todowrite']),
    ...allowing(['bosun_ask_human', 'bosun_report_progress']),
    // A model calling these would show people cards that allow nothing.
    ...{ bosun_permission_prompt: 'deny', question: 'deny' },
    external_directory: { '*': 'ask', ...allowing(folders(seat)) },
    ...allowing(executor.tools.filter((tool) => !/^(bash|edit)$|\(/i.test(tool))),
    bash: access === 'read' ? 'deny' : 'ask',
    edit: access === 'write' ? 'ask' : reportsOnly(seat, 'ask'),
  };
}

/** As a list, whose order overrides earlier configuration. */
export function ruleset(permissions: Permissions): readonly object[] {
  return Object.entries(permissions).flatMap(([permission, said]) =>
    typeof said === 'string'
      ? [{ permission, pattern: '*', action: said }]
      : Object.entries(said).map(([pattern, action]) => ({ permission, pattern, action })),
  );
}

function allowing(names: readonly string[]): Readonly<Record<string, Action>> {
  return Object.fromEntries(names.map((name) => [name, 'allow']));
}

function folders({ root, sharedDir }: AgentSeat): readonly string[] {
  return [...new Set([root, sharedDir])].map((folder) => join(folder, '**'));
}

/** Absolute paths granted for the run, with their folders, about which OpenCode asks too. */
function grantedPaths({ grants = [] }: AgentSeat): readonly string[] {
  const paths = grants.flatMap(({ what }) => (what.startsWith('/') && !/[*\n]/.test(what) ? [what] : []));
  return paths.flatMap((path) => [path, join(dirname(path), '*')]);
}

/** For an agent that may not edit otherwise. */
export function reportFiles(seat: AgentSeat): readonly string[] {
  const { resultFile, handoffFile, editsFile, scratchFile, itemScratchFile, progressFile } = attemptPaths(seat);
  return [resultFile, handoffFile, editsFile, scratchFile, itemScratchFile, progressFile];
}

/** OpenCode matches paths relative to the checkout, or to the disk's root without one. */
function reportsOnly(seat: AgentSeat, action: Action): Readonly<Record<string, Action>> {
  const paths = reportFiles(seat).flatMap((file) => [relative(seat.workdir, file), `*${file.slice(1)}`]);
  return { '*': 'deny', ...Object.fromEntries(['.ai/*', '*/.ai/*', ...paths].map((path) => [path, action])) };
}
