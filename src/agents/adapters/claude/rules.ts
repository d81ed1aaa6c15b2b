// What Claude Code may do unasked, by what the step may do; and which of its refusals are only what the step forbids.

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

/** A worktree's agent also reads in the project and in what the run shares; no rule opens the rest of the disk. */
function folders({ workdir, root, sharedDir }: AgentSeat): readonly string[] {
  return [...new Set([workdir, root, sharedDir])];
}

function reportFiles(seat: AgentSeat): readonly string[] {
  const paths = attemptPaths(seat);
  const { resultFile, handoffFile, editsFile, scratchFile, itemScratchFile, progressFile } = paths;
  const named = [resultFile, handoffFile, editsFile, scratchFile, itemScratchFile];
  return [join(seat.workdir, '.ai', '**'), ...named, ...(seat.keepsProgress ? [progressFile] : [])];
}

/**
 * Where nobody can be asked, what a person allowed beforehand has to be a rule: the exact command, or the file. What no
 * rule can tell from other uses of its tool stays refused, unless somebody is asked and its mark is found.
 */
function granted({ grants = [], access }: AgentSeat): readonly string[] {
  return grants.flatMap(({ tool, what }) => {
    if (isForbidden(tool, access) || /[()\n*]/.test(what)) return [];
    if (tool === 'Bash') return [`Bash(${what})`];
    // In a path these would mean other files as well.
    if (!what.startsWith('/') || /[?[\]{}!\\]/.test(what)) return [];
    if (editing.includes(tool)) return [`Edit(/${what})`];
    return tool === 'Read' ? [`Read(/${what})`] : [];
  });
}

/** What Bosun itself runs as evidence: the project's owner wrote it. A line with brackets cannot stand in a rule. */
function ownersLines({ tests, check, ownerLines = [] }: AgentSeat): readonly string[] {
  const lines = [tests?.run, check, ...ownerLines].flatMap((line) => (line && !/[()\n*]/.test(line) ? [line] : []));
  return [...new Set(lines)];
}
