import { join } from 'node:path';
import { attemptPaths } from '../../processes/environment.js';
import type { AgentSeat } from '../port.js';
import { editing, isForbidden } from '../shared/denials.js';

export function claudeRules(seat: AgentSeat, hasServer: boolean): readonly string[] {
  return [
    ...folders(seat).map((folder) => `Read(/${join(folder, '**')})`),
    ...(hasServer ? ['mcp__bosun__*'] : []),
    ...reportFiles(seat).map((file) => `Edit(/${file})`),
    ...(seat.access === 'read' ? [] : ownersLines(seat).map((line) => `Bash(${line})`)),
    ...seat.executor.tools,
    ...granted(seat),
  ];
}

export function freeCommands(seat: AgentSeat): readonly string[] {
  const tools = seat.executor.tools.flatMap((tool) => /^Bash\((.+)\)$/.exec(tool)?.[1] ?? []);
  return [...new Set([...(seat.access === 'read' ? [] : ownersLines(seat)), ...tools])];
}

/** A worktree's agent may read the project and the shared folder. No rule opens the rest of the disk. */
function folders({ workdir, root, sharedDir }: AgentSeat): readonly string[] {
  return [...new Set([workdir, root, sharedDir])];
}

function reportFiles(seat: AgentSeat): readonly string[] {
  const paths = attemptPaths(seat);
  const { resultFile, handoffFile, editsFile, scratchFile, itemScratchFile, progressFile } = paths;
  const named = [resultFile, handoffFile, editsFile, scratchFile, itemScratchFile];
  return [join(seat.workdir, '.ai', '**'), ...named, ...(seat.keepsProgress ? [progressFile] : [])];
}

/** One exact command or file per rule. Other grants count only when the agent asks again with the same mark. */
function granted({ grants = [], access }: AgentSeat): readonly string[] {
  return grants.flatMap(({ tool, what }) => {
    if (isForbidden(tool, access) || /[()\n*]/.test(what)) return [];
    if (tool === 'Bash') return [`Bash(${what})`];
    // Glob characters would match other files.
    if (!what.startsWith('/') || /[?[\]{}!\\]/.test(what)) return [];
    if (editing.includes(tool)) return [`Edit(/${what})`];
    return tool === 'Read' ? [`Read(/${what})`] : [];
  });
}

/** A rule cannot contain brackets. */
function ownersLines({ tests, check, ownerLines = [] }: AgentSeat): readonly string[] {
  const lines = [tests?.run, check, ...ownerLines].flatMap((line) => (line && !/[()\n*]/.test(line) ? [line] : []));
  return [...new Set(lines)];
}
