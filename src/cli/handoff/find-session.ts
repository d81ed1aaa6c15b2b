import { existsSync } from 'node:fs';
import type { CodingAgent } from '../../agents/index.js';
import { type Config, homeFolder, type ProjectConfig, projectNamed } from '../../config/index.js';
import { placeOfChain } from '../../dispatch/index.js';
import type { Attempt, Node, Run } from '../../engine/index.js';
import { type AgentConfig, isAgent, programNamed } from '../../jobs/index.js';
import type { RunReader } from '../../store/index.js';
import type { CommandContext } from '../command-context.js';

export interface FoundSession {
  readonly run: Run;
  readonly chain: string;
  readonly node: Node;
  readonly attempt: Attempt;
  readonly kind: string;
  readonly id: string;
  readonly folder: string;
  readonly isThere: boolean;
  /** Null: config.yaml no longer has the executor. */
  readonly executor: AgentConfig | null;
  readonly agent: CodingAgent | null;
}

export type PlacedNode = Node & { readonly chain: string };

/** Newest first, each session once. */
export function sessionsOf(
  cli: CommandContext,
  store: RunReader,
  run: Run,
  nodes: readonly PlacedNode[],
): readonly FoundSession[] {
  const { config } = cli;
  const project = projectNamed(config, run.project);
  const items = store.spine(run.id)?.items ?? [];
  const worktrees = homeFolder(cli.home, 'worktrees');
  const found = nodes.flatMap((node) =>
    store.attempts(run.id, node.id).flatMap(({ attempt }): readonly FoundSession[] => {
      const [kind = '', id = ''] = (attempt.session ?? '').split(/:(.*)/s);
      if (id === '') return [];
      const { workdir: folder } = placeOfChain({ run, items }, node.chain, project?.root ?? '', worktrees);
      return [
        {
          ...{ run, chain: node.chain, node, attempt, kind, id, folder },
          isThere: folder !== '' && existsSync(folder),
          executor: executorOf(config, project, attempt, kind),
          agent: cli.agents.find((one) => one.kind === kind) ?? null,
        },
      ];
    }),
  );
  const newestFirst = found.sort((one, other) => endOf(other) - endOf(one));
  return newestFirst.filter((one, index) => newestFirst.findIndex((other) => isSame(one, other)) === index);
}

export function whyNotOpened({ agent, executor, kind, folder, isThere }: FoundSession): string | null {
  if (agent === null) return `Bosun knows no agent "${kind}"`;
  if (agent.terminal === null) return `${agent.title} has no command that resumes a session in a terminal`;
  if (executor !== null && executor.wrap.length > 0)
    return `its executor runs inside "${executor.wrap[0]}", where the session is`;
  return isThere ? null : `its folder ${folder} is gone`;
}

export function programOf({ kind, executor }: FoundSession): string {
  return executor === null ? kind : programNamed(executor);
}

function executorOf(config: Config, project: ProjectConfig | null, attempt: Attempt, kind: string): AgentConfig | null {
  const names = [attempt.executor, project?.executor, ...(project?.fallbacks ?? []), ...Object.keys(config.executors)];
  const all = names.flatMap((name) => (name ? (config.executors[name] ?? []) : []));
  return all.filter(isAgent).find((one) => one.kind === kind) ?? null;
}

function isSame(one: FoundSession, other: FoundSession): boolean {
  return one.kind === other.kind && one.id === other.id;
}

function endOf({ attempt }: FoundSession): number {
  return attempt.endedAt ?? attempt.dispatchedAt;
}
