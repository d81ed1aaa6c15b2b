// Commands and edits that need no person.
import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isInside } from '../../../base/index.js';
import type { AgentSeat } from '../port.js';
import { changedScript, type ScriptRequest } from './line-scripts.js';

/** Null: a person decides. A line that runs a changed script is asked about as that script. */
export function commandRuling(line: string, cwd: unknown, seat: AgentSeat): 'allowed' | ScriptRequest | null {
  if (!runsUnasked(line, cwd, seat)) return null;
  return seat.executor.tools.includes('Bash') ? 'allowed' : (changedScript(line, seat) ?? 'allowed');
}

/** The owner's lines, and `tools` as `Bash`, `Bash(line)`, `Bash(words:*)`. */
function runsUnasked(line: string, cwd: unknown, seat: AgentSeat): boolean {
  const { access, workdir, executor } = seat;
  if (access === 'read' || cwd !== workdir) return false;
  return ownerCommands(seat).includes(line) || executor.tools.some((rule) => isCovered(line, rule));
}

function ownerCommands({ tests, check, ownerLines = [] }: AgentSeat): readonly string[] {
  return [tests?.run, check, ...ownerLines].filter((line) => typeof line === 'string');
}

export function unaskedCommands(seat: AgentSeat): readonly string[] {
  const tools = seat.executor.tools.flatMap((tool) => /^Bash\((.+)\)$/.exec(tool)?.[1] ?? []);
  return [...new Set([...(seat.access === 'read' ? [] : ownerCommands(seat)), ...tools])];
}

function isCovered(line: string, rule: string): boolean {
  if (rule === 'Bash') return true;
  const [, said] = /^Bash\((.+)\)$/s.exec(rule) ?? [];
  if (said === undefined) return false;
  if (!said.endsWith(':*')) return line === said;
  const words = said.slice(0, -2);
  // Security: a prefix must not admit shell operators.
  return !/[;&|<>$`()\n\\]/.test(line) && (line === words || line.startsWith(`${words} `));
}

const guarded = /(^|\/)(\.(git|codex|claude|agents|opencode)(\/|$)|opencode\.jsonc?$)/i;

/** Writing steps may edit the work folder, every step its reports. */
export function editsUnasked(path: string, { access, workdir }: AgentSeat): boolean {
  const own = resolve(workdir, path);
  const folder = access === 'write' ? workdir : join(workdir, '.ai');
  const real = realPath(own);
  return !guarded.test(own) && real !== null && !guarded.test(real) && isInside(realPath(folder) ?? folder, real);
}

/** Follows links as far as the path exists; null: unknown. */
function realPath(path: string): string | null {
  if (!isAbsolute(path)) return null;
  try {
    return realpathSync(path);
  } catch {
    // A dangling link may lead anywhere. For a missing file its folder counts.
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return null;
    const folder = dirname(path);
    const real = folder === path ? null : realPath(folder);
    return real === null ? null : join(real, path.slice(folder.length));
  }
}
