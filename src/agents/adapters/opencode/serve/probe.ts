// For doctor: whether the installed OpenCode can hold a conversation.
import { type Environment, plainEnvironment } from '../../../../base/index.js';
import type { AgentConfig } from '../../../../jobs/index.js';
import { runOnce } from '../../../processes/run-once.js';
import { agentVersion } from '../../agent-version.js';
import type { AgentVersion } from '../../port.js';

const limitMs = 10_000;

export async function probeOpencode(agent: AgentConfig, parent: Environment, folder: string): Promise<AgentVersion> {
  const there = await agentVersion(agent, parent, folder);
  if (there.kind !== 'there') return there;
  const why = await whyLimited(agent, parent, folder);
  return why === null ? there : { kind: 'limited', version: there.version, ...why };
}

type Limit = { readonly why: string; readonly hint: string };

async function whyLimited(agent: AgentConfig, parent: Environment, folder: string): Promise<Limit | null> {
  const { own, permission, program, kind, env } = agent;
  if (own?.['mode'] === 'run') {
    if (permission !== 'ask') return null;
    return { why: 'with mode: run it cannot ask a person', hint: 'Remove mode, or set permission to deny.' };
  }
  const end = await runOnce({
    argv: [program ?? kind, 'serve', '--help'],
    cwd: folder,
    env: { ...plainEnvironment(parent), ...env },
    input: '',
    timeoutMs: limitMs,
    maxBytes: 64 * 1024,
  });
  if (end.kind === 'done' && /--hostname\b/.test(end.out) && /--port\b/.test(end.out)) return null;
  const told = end.kind === 'done' ? 'its help does not name --hostname and --port' : end.why;
  return {
    why: `it has no \`serve\` and cannot ask a person (${told})`,
    hint: 'Use the version that docs/agents.md names.',
  };
}
