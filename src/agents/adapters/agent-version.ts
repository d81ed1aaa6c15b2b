import { type Environment, plainEnvironment, runCommand } from '../../base/index.js';
import type { AgentConfig } from '../../jobs/index.js';
import type { AgentVersion } from './port.js';
import { fewWords } from './shared/action-words.js';

const limitMs = 5000;

export type Limit = { readonly why: string; readonly hint: string };

interface Conversing {
  /** This mode cannot ask. */
  readonly oneShotMode: string;
  readonly whyLimited: (agent: AgentConfig, parent: Environment, folder: string) => Promise<Limit | null>;
}

export function probeConversing({ oneShotMode, whyLimited }: Conversing) {
  const limitOf: Conversing['whyLimited'] = async (agent, parent, folder) => {
    if (agent.own?.['mode'] !== oneShotMode) return whyLimited(agent, parent, folder);
    if (agent.permission !== 'ask') return null;
    const why = `with mode: ${oneShotMode} it cannot ask a person`;
    return { why, hint: 'Remove mode, or set permission to deny.' };
  };
  return async (agent: AgentConfig, parent: Environment, folder: string): Promise<AgentVersion> => {
    const there = await agentVersion(agent, parent, folder);
    const limit = there.kind === 'there' ? await limitOf(agent, parent, folder) : null;
    return there.kind === 'there' && limit !== null ? { kind: 'limited', version: there.version, ...limit } : there;
  };
}

/** Uses the agent's environment, without its `wrap`. */
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
