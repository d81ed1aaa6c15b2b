// Checks whether a coding agent's program is installed, and which version.

import { type Environment, plainEnvironment } from '../../base/index.js';
import type { AgentConfig } from '../../jobs/index.js';
import type { AgentVersion } from './port.js';
import { fewWords } from './shared/action-words.js';

const limitMs = 5000;

/** Runs `--version` with the agent's environment, but without its `wrap` command. */
export async function agentVersion(agent: AgentConfig, parent: Environment, folder: string): Promise<AgentVersion> {
  const { execa } = await import('execa');
  const passed = agent.passEnv.flatMap((name) => (parent[name] === undefined ? [] : [[name, parent[name]] as const]));
  const { code, exitCode, timedOut, stdout, stderr } = await execa(agent.program ?? agent.kind, ['--version'], {
    cwd: folder,
    env: { ...plainEnvironment(parent), ...Object.fromEntries(passed), ...agent.env },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: limitMs,
    forceKillAfterDelay: 500,
    maxBuffer: 64 * 1024,
  });
  if (code === 'ENOENT') return { kind: 'missing' };
  if (timedOut) return { kind: 'broken', why: `it did not print its version within ${limitMs / 1000} s` };
  const said = fewWords(stdout.split('\n')[0] ?? '', 60);
  if (exitCode === 0 && said !== '') return { kind: 'there', version: said };
  return { kind: 'broken', why: fewWords(stderr, 200) || `--version exits with ${exitCode ?? code ?? 'no code'}` };
}
