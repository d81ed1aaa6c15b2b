// Checks whether a coding agent's program is installed, and which version.

import { type Environment, plainEnvironment, runCommand } from '../../base/index.js';
import type { AgentConfig } from '../../jobs/index.js';
import type { AgentVersion } from './port.js';
import { fewWords } from './shared/action-words.js';

const limitMs = 5000;

/** Runs `--version` with the agent's environment, but without its `wrap` command. */
export async function agentVersion(agent: AgentConfig, parent: Environment, folder: string): Promise<AgentVersion> {
  const passed = agent.passEnv.flatMap((name) => (parent[name] === undefined ? [] : [[name, parent[name]] as const]));
  const { exit, code, isTimedOut, out, err } = await runCommand(agent.program ?? agent.kind, ['--version'], {
    cwd: folder,
    env: { ...plainEnvironment(parent), ...Object.fromEntries(passed), ...agent.env },
    timeoutMs: limitMs,
    graceMs: 500,
    maxBytes: 64 * 1024,
  });
  if (code === 'ENOENT') return { kind: 'missing' };
  if (isTimedOut) return { kind: 'broken', why: `it did not print its version within ${limitMs / 1000} s` };
  const said = fewWords(out.split('\n')[0] ?? '', 60);
  if (exit === 0 && said !== '') return { kind: 'there', version: said };
  return { kind: 'broken', why: fewWords(err, 200) || `--version exits with ${exit ?? code ?? 'no code'}` };
}
