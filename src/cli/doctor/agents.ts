// Checks that each coding agent's program is installed.

import { agentVersion, installHint } from '../../agents/index.js';
import { type Config, checkConfig } from '../../config/index.js';
import type { AgentKind } from '../../jobs/index.js';
import type { CommandContext } from '../command-context.js';
import { broken, doubtful, type Finding, fine } from './finding.js';

type Executor = Config['executors'][string];
type Agent = Extract<Executor, { readonly kind: AgentKind }>;

export async function checkAgents({ home, shell }: CommandContext): Promise<readonly Finding[]> {
  const reading = checkConfig(home, shell.env);
  if (reading.kind === 'bad') return [];
  const { executors, projects } = reading.config;
  const found = Object.entries(executors).flatMap(([name, executor]) => {
    const user = projects.find((project) => project.executor === name);
    return isAgent(executor) ? [agentFinding(`executor ${name}`, executor, user?.root ?? null, shell.env)] : [];
  });
  return Promise.all(found);
}

function isAgent(executor: Executor): executor is Agent {
  return executor.kind !== 'command' && executor.kind !== 'script';
}

async function agentFinding(
  title: string,
  agent: Agent,
  root: string | null,
  env: CommandContext['shell']['env'],
): Promise<Finding> {
  if (root === null) return fine(title, `${agent.kind}, and no project uses it`);
  const program = agent.program ?? agent.kind;
  const found = await agentVersion(agent, env, root);
  switch (found.kind) {
    case 'there':
      return agent.permission === 'bypass'
        ? doubtful(title, `${program} ${found.version}, and it may do everything`, 'Set permission to ask or deny.')
        : fine(title, `${program} ${found.version}`);
    case 'missing':
      return broken(title, `${program} is not there`, `To mend it, ${installHint(agent.kind)}.`);
    case 'broken':
      return doubtful(title, `${program}: ${found.why}`, `Try \`${program} --version\` by hand.`);
  }
}
