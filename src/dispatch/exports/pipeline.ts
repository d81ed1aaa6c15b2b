// A status lags at the last passed step: no step is done before it is verified.
import {
  type Chain,
  hasBody,
  type Item,
  type LoopDef,
  type Node,
  type NodeDef,
  type NodeState,
  type Run,
  runsAgent,
  runsJob,
} from '../../engine/index.js';
import type { Spine } from '../../store/index.js';
import { defOf, iso } from './formats.js';

export interface PipelineFile {
  readonly run_id: string;
  readonly workflow_id: string;
  readonly task: string;
  readonly status: Run['status'];
  readonly context: Readonly<Record<string, string>>;
  readonly steps: readonly PipelineStep[];
  readonly stories: readonly PipelineStory[];
}

export type RowStatus = 'waiting' | 'pending' | 'running' | 'done' | 'failed';

export interface PipelineStep {
  readonly id: string;
  readonly run_id: string;
  readonly step_id: string;
  readonly step_index: number;
  readonly type: 'single' | 'loop';
  readonly loop_config: LoopConfig | null;
  readonly status: RowStatus;
  readonly output: string | null;
  readonly retry_count: number;
  readonly max_retries: number;
  readonly current_story_id: string | null;
}

export interface LoopConfig {
  readonly over: 'stories';
  readonly completion: 'all_done';
  readonly fresh_session: boolean;
  readonly verify_each: boolean;
  readonly verify_step: string | null;
}

export interface PipelineStory {
  readonly id: string;
  readonly run_id: string;
  readonly story_index: number;
  readonly story_id: string;
  readonly title: string;
  readonly description: string;
  readonly acceptance_criteria: readonly string[];
  readonly status: Exclude<RowStatus, 'waiting'>;
  readonly output: string | null;
  readonly retry_count: number;
  readonly max_retries: number;
  readonly created_at: string;
  readonly updated_at: string;
}

type ChainOf = (key: string) => Chain | null;

export function pipelineOf(spine: Spine, chainOf: ChainOf): PipelineFile {
  const { run, workflow } = spine;
  const nodes = chainOf('')?.nodes ?? [];
  const rows = nodes.flatMap((node) => (hasBody(node) ? loopRows(spine, node, chainOf) : [single(spine, node)]));
  return {
    run_id: run.id,
    workflow_id: workflow.name,
    task: run.task,
    status: run.status,
    context: run.context,
    steps: rows.map((row, step_index) => ({ ...row, step_index })),
    stories: storiesOf(spine, chainOf),
  };
}

export function storiesOf(spine: Spine, chainOf: ChainOf): readonly PipelineStory[] {
  const ordered = [...spine.items].sort((one, other) => one.order - other.order);
  return ordered.map((item) => story(spine, item, chainOf(item.key), chainOf(item.parent)));
}

type Row = Omit<PipelineStep, 'step_index'>;

function single({ run, workflow }: Spine, node: Node): Row {
  const def = defOf(workflow, node.template);
  return {
    ...{ id: node.id, run_id: run.id, step_id: node.template, type: 'single', loop_config: null },
    status: rowWords[node.state],
    output: outputOf(node, def, run.context),
    retry_count: node.attempt - 1,
    max_retries: (def?.maxAttempts ?? 1) - 1,
    current_story_id: null,
  };
}

const rowWords: Readonly<Record<NodeState, RowStatus>> = {
  waiting: 'waiting',
  ready: 'pending',
  queued: 'pending',
  running: 'running',
  needs_human: 'running',
  passed: 'done',
  skipped: 'done',
  failed: 'failed',
  cancelled: 'failed',
};

/** The loop's row stands for its first step; later steps run per story. */
function loopRows(spine: Spine, loop: Node, chainOf: ChainOf): readonly Row[] {
  const def = loopDefOf(spine, loop);
  const item = standsAt(spine.items.filter((one) => one.loop === loop.id));
  const chain = item && chainOf(item.key);
  return (def?.body ?? []).map((step, index) => {
    const node = chain?.nodes.find((one) => one.template === step.id) ?? null;
    const isFirst = index === 0;
    return {
      ...{ id: `${loop.id}-${step.id}`, run_id: spine.run.id, step_id: step.id, type: isFirst ? 'loop' : 'single' },
      loop_config: isFirst && def ? configOf(def) : null,
      status: isFirst ? loopStatus(loop, node) : bodyStatus(loop, node),
      output: chain && node && outputOf(node, step, chain.context),
      retry_count: 0,
      max_retries: def?.maxRejections ?? 0,
      current_story_id: isFirst && item && node?.state === 'running' ? item.key : null,
    };
  });
}

function standsAt(items: readonly Item[]): Item | null {
  const first = (...statuses: readonly Item['status'][]) => items.find((item) => statuses.includes(item.status));
  return first('running', 'merging') ?? first('failed') ?? first('ready', 'blocked') ?? items.at(-1) ?? null;
}

/** `running` while later steps of the story run. */
function loopStatus(loop: Node, node: Node | null): RowStatus {
  if (loop.state !== 'running') return rowWords[loop.state];
  const isDue = node === null || ['waiting', 'ready', 'queued'].includes(node.state);
  return isDue ? 'pending' : 'running';
}

function bodyStatus(loop: Node, node: Node | null): RowStatus {
  const isOver = loop.state === 'passed' || loop.state === 'skipped';
  if (isOver || node === null) return isOver ? 'done' : 'waiting';
  return node.state === 'passed' ? 'waiting' : rowWords[node.state];
}

function loopDefOf({ workflow }: Spine, { template }: Node | Item): LoopDef | null {
  const def = defOf(workflow, template);
  return def !== null && hasBody(def) ? def : null;
}

function configOf({ body: [work, verify] }: LoopDef): LoopConfig {
  return {
    over: 'stories',
    completion: 'all_done',
    fresh_session: work && runsAgent(work) ? work.freshSession : true,
    verify_each: verify !== undefined,
    verify_step: verify?.id ?? null,
  };
}

function story(spine: Spine, item: Item, chain: Chain | null, parent: Chain | null): PipelineStory {
  const { run } = spine;
  const def = loopDefOf(spine, item);
  const [work] = chain?.nodes ?? [];
  const before =
    parent?.nodes.slice(
      0,
      parent.nodes.findIndex((node) => node.id === item.loop),
    ) ?? [];
  const made = before.findLast((node) => node.last !== null)?.last?.endedAt ?? run.createdAt;
  const moments = (chain?.nodes ?? []).map((node) => node.live?.startedAt ?? node.last?.endedAt ?? 0);
  return {
    ...{ id: `${run.id}-${item.key}`, run_id: run.id, story_index: item.order, story_id: item.key },
    title: item.title,
    description: item.description,
    acceptance_criteria: item.criteria,
    status: storyStatus(item, work ?? null),
    output: chain && work ? outputOf(work, def?.body[0] ?? null, chain.context) : null,
    retry_count: item.rejections,
    max_retries: def?.maxRejections ?? 0,
    created_at: iso(made),
    updated_at: iso(Math.max(made, item.startedAt ?? 0, item.endedAt ?? 0, ...moments)),
  };
}

function storyStatus({ status }: Item, work: Node | null): PipelineStory['status'] {
  if (status === 'done') return 'done';
  if (status === 'failed' || status === 'cancelled') return 'failed';
  const isHandedOut = work !== null && !['waiting', 'ready', 'queued'].includes(work.state);
  return isHandedOut && (status === 'running' || status === 'merging') ? 'running' : 'pending';
}

function outputOf({ last }: Node, def: NodeDef | null, context: Readonly<Record<string, string>>): string | null {
  if (last === null) return null;
  const told = ((def && runsJob(def) && def.outputs) || []).flatMap((key) => {
    const value = context[key.toLowerCase()];
    return value === undefined ? [] : [`${key}: ${value}`];
  });
  return told.length > 0 ? told.join('\n') : last.summary;
}
