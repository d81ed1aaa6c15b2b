import { type Environment, plainEnvironment, runCommand } from '../../../../base/index.js';
import type { AgentConfig } from '../../../../jobs/index.js';
import { type Limit, probeConversing } from '../../agent-version.js';

const limitMs = 10_000;

export const probeOpencode = probeConversing({ oneShotMode: 'run', whyLimited });

async function whyLimited(agent: AgentConfig, parent: Environment, folder: string): Promise<Limit | null> {
  const { program, kind, env } = agent;
  const { exit, isTimedOut, out, err } = await runCommand(program ?? kind, ['serve', '--help'], {
    cwd: folder,
    env: { ...plainEnvironment(parent), ...env },
    timeoutMs: limitMs,
    graceMs: 500,
    maxBytes: 64 * 1024,
  });
  // It prints its help as an error.
  const help = `${out}\n${err}`;
  if (exit === 0 && /--hostname\b/.test(help) && /--port\b/.test(help)) return null;
  const exited = isTimedOut ? `it gave no answer in ${limitMs / 1000} s` : `it exited with ${exit ?? 'no code'}`;
  const told = exit === 0 ? 'its help does not name --hostname and --port' : exited;
  return {
    why: `it has no \`serve\` and cannot ask a person (${told})`,
    hint: 'Use the version that docs/agents.md names.',
  };
}
