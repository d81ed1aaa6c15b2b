import {
  type Attempt,
  type Chain,
  hasBody,
  type Item,
  type ItemStatus,
  type Node,
  type NodeState,
  skipText,
} from '../../engine/index.js';
import type { Spine, StoredRecord } from '../../store/index.js';
import { iso } from './formats.js';

export interface WorkflowStateFile {
  readonly version: 1;
  readonly created_at: string;
  readonly prd_file: string | null;
  readonly stories: Readonly<Record<string, StoryState>>;
}

export interface StoryState {
  readonly story_id: string;
  readonly title: string;
  readonly status: 'unclaimed' | 'in_progress' | 'completed' | 'failed' | 'blocked';
  readonly agent_id: number | null;
  readonly claimed_at: string | null;
  readonly completed_at: string | null;
  readonly depends_on: readonly string[];
  readonly steps: readonly StepState[];
  readonly history: readonly HistoryEntry[];
}

export interface StepState {
  readonly id: string;
  readonly type: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'skipped' | 'failed' | 'cancelled';
  readonly description: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly git_sha_at_start: string | null;
  readonly notes: string | null;
  readonly error: string | null;
  readonly skip_reason: string | null;
  readonly restart_count: number;
  readonly cost_usd: number | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly log_file: string | null;
}

export interface HistoryEntry {
  readonly timestamp: string;
  readonly action: StoredRecord['record']['action'];
  /** The slot, or the person. */
  readonly agent_id: number | string | null;
  readonly step_id: string | null;
  readonly details: StoredRecord['record']['details'];
}

export interface WorkflowStateSource {
  readonly spine: Spine;
  readonly chainOf: (key: string) => Chain | null;
  readonly records: readonly StoredRecord[];
  readonly shaOf: (attempt: string) => string | null;
}

export function workflowState(source: WorkflowStateSource): WorkflowStateFile {
  const { run, items } = source.spine;
  const recordsOf = byChain(source.records);
  const stories = items.map((item) => [item.key, storyState(source, item, recordsOf.get(item.key) ?? [])] as const);
  return {
    version: 1,
    created_at: iso(run.createdAt),
    prd_file: run.context['prd_file'] ?? null,
    stories: Object.fromEntries(stories),
  };
}

function byChain(records: readonly StoredRecord[]): ReadonlyMap<string, readonly StoredRecord[]> {
  const found = new Map<string, StoredRecord[]>();
  for (const record of records) {
    const ofChain = found.get(record.chain);
    if (ofChain) ofChain.push(record);
    else found.set(record.chain, [record]);
  }
  return found;
}

function storyState(source: WorkflowStateSource, item: Item, records: readonly StoredRecord[]): StoryState {
  const nodes = source.chainOf(item.key)?.nodes ?? [];
  const slots = slotsOf(item, records);
  const isOver = item.endedAt !== null;
  return {
    story_id: item.key,
    title: item.title,
    status: storyWords[item.status],
    agent_id: item.slot ?? (isOver ? (slots.at(-1) ?? null) : null),
    claimed_at: iso(item.startedAt),
    completed_at: item.status === 'done' ? iso(item.endedAt) : null,
    depends_on: item.dependsOn,
    steps: nodes.filter((node) => !hasBody(node)).map((node) => doneElsewhere(node) ?? stepState(node, source.shaOf)),
    history: history(records, slots),
  };
}

const storyWords: Readonly<Record<ItemStatus, StoryState['status']>> = {
  ready: 'unclaimed',
  blocked: 'blocked',
  running: 'in_progress',
  merging: 'in_progress',
  done: 'completed',
  failed: 'failed',
  cancelled: 'failed',
};

function stepState(node: Node, shaOf: WorkflowStateSource['shaOf']): StepState {
  const status = stepWords[node.state];
  // A pending step's earlier tries are in the history.
  const shown = status === 'pending' || status === 'skipped' ? null : (node.live ?? node.last);
  const isBroken = status === 'failed' || status === 'cancelled';
  return {
    id: node.label,
    type: node.template,
    status,
    description: node.description ?? node.title,
    started_at: iso(shown && (shown.startedAt ?? shown.dispatchedAt)),
    completed_at: status === 'completed' || isBroken ? iso(shown?.endedAt ?? null) : null,
    git_sha_at_start: shown && shaOf(shown.id),
    notes: status === 'completed' ? (shown?.summary ?? null) : null,
    error: isBroken ? errorOf(shown) : null,
    skip_reason: status === 'skipped' && node.skipReason ? skipText(node.skipReason) : null,
    restart_count: node.restarts,
    cost_usd: shown?.costUsd ?? null,
    input_tokens: shown?.tokensIn ?? null,
    output_tokens: shown?.tokensOut ?? null,
    log_file: shown?.logPath ?? null,
  };
}

/** Another run did the step, so only its notes are known. */
function doneElsewhere(node: Node): StepState | null {
  if (node.state !== 'skipped' || node.skipReason?.type !== 'inferred') return null;
  return {
    id: node.label,
    type: node.template,
    status: 'completed',
    description: node.description ?? node.title,
    started_at: null,
    completed_at: null,
    git_sha_at_start: null,
    notes: node.skipReason.notes ?? null,
    error: null,
    skip_reason: null,
    restart_count: node.restarts,
    cost_usd: null,
    input_tokens: null,
    output_tokens: null,
    log_file: null,
  };
}

const stepWords: Readonly<Record<NodeState, StepState['status']>> = {
  waiting: 'pending',
  ready: 'pending',
  queued: 'in_progress',
  running: 'in_progress',
  needs_human: 'in_progress',
  passed: 'completed',
  failed: 'failed',
  skipped: 'skipped',
  cancelled: 'cancelled',
};

function errorOf(last: Attempt | null): string | null {
  if (last === null) return null;
  const what = last.outcome === 'failing' ? last.reason : (last.reason ?? last.outcome);
  return [what, last.summary].filter((part) => part !== null).join(': ') || last.outcome;
}

function history(records: readonly StoredRecord[], slots: readonly (number | null)[]): readonly HistoryEntry[] {
  return records.map(({ at, by, record }, index) => ({
    timestamp: iso(at),
    action: record.action,
    agent_id: by ?? slots[index] ?? null,
    step_id: record.step?.label ?? null,
    details: record.details,
  }));
}

/** Per record: the slot is assigned after the claim and named at the end. */
function slotsOf(item: Item, records: readonly StoredRecord[]): readonly (number | null)[] {
  let slot: number | null = null;
  return records.map((one, index) => {
    if (index === 0 || isClaim(one)) slot = slotSince(item, records, index);
    return slot;
  });
}

function slotSince(item: Item, records: readonly StoredRecord[], start: number): number | null {
  for (const [index, one] of records.entries()) {
    if (index < start) continue;
    if (index > start && isClaim(one)) return null;
    const { slot } = one.record.details;
    if (typeof slot === 'number') return slot;
  }
  return item.slot;
}

const isClaim = ({ record }: StoredRecord) => record.action === 'story_claimed';
