import { type CodingAgent, installHint, type Probe } from '../../agents/index.js';
import { broken, doubtful, type Finding, fine } from '../../bot/index.js';
import { checkConfig, executorsOf } from '../../config/index.js';
import { type AgentConfig, isAgent, programNamed } from '../../jobs/index.js';
import type { CommandContext } from '../command-context.js';

export async function checkAgents({ home, shell }: CommandContext, tries: boolean): Promise<readonly Finding[]> {
  const reading = checkConfig(home, shell.env);
  if (reading.kind === 'bad') return [];
  const { executors, projects } = reading.config;
  const found = Object.entries(executors).flatMap(([name, executor]) => {
    const user = projects.find((project) => executorsOf(project).includes(name));
    const agent = home.agents.find(({ kind }) => kind === executor.kind);
    if (agent === undefined || !isAgent(executor)) return [];
    return [
      agentFinding(
        `executor ${name}`,
        { agent, executor, how: { home: home.dir, tries } },
        user?.root ?? null,
        shell.env,
      ),
    ];
  });
  return Promise.all(found);
}

async function agentFinding(
  title: string,
  { agent, executor, how }: { readonly agent: CodingAgent; readonly executor: AgentConfig; readonly how: Probe },
  root: string | null,
  env: CommandContext['shell']['env'],
): Promise<Finding> {
  if (root === null) return fine(title, `${agent.kind}, not used by any project`);
  const program = programNamed(executor);
  const found = await agent.probe(executor, env, root, how);
  switch (found.kind) {
    case 'there':
      return executor.permission === 'bypass'
        ? doubtful(
            title,
            `${program} ${found.version}, allowed to do everything without asking`,
            'Set permission to ask or deny.',
          )
        : fine(title, `${program} ${found.version}`);
    case 'limited':
      return doubtful(title, `${program} ${found.version}: ${found.why}`, found.hint);
    case 'missing':
      return broken(title, `${program} is not installed, or not on the PATH`, `To fix this, ${installHint(agent)}.`);
    case 'broken':
      return doubtful(title, `${program}: ${found.why}`, `Try \`${program} --version\` by hand.`);
  }
}
