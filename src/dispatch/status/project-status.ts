// Scripts rely on these names. Reads the store only.

import type { ProjectConfig } from '../../config/index.js';
import {
  definitions,
  type Interaction,
  type Item,
  isCostKnown,
  isRunOver,
  type Node,
  type NodeKind,
  type OpenedSession,
  type Run,
  skipText,
} from '../../engine/index.js';
import type { HomeReader, Spine } from '../../store/index.js';
import type { Activity } from '../plans/activity.js';
import { type Health, healthOf } from './project-health.js';

export interface ProjectStatus {
  readonly project: string;
  readonly aliases: readonly string[];
  readonly level: string;
  readonly health: Health;
  readonly run: RunStatusJson | null;
  readonly items: readonly ItemJson[];
  readonly nodes: readonly NodeJson[];
  readonly interactions: readonly InteractionJson[];
  readonly drafts: readonly { readonly id: string; readonly task: string; readonly approved: boolean }[];
  /** A person has it open in a terminal; nothing is dispatched meanwhile. */
  readonly opened: OpenedJson | null;
}

export interface OpenedJson {
  readonly node: string;
  readonly step: string;
  readonly item: string | null;
  readonly by: string;
  readonly since: string;
}

export interface RunStatusJson {
  readonly id: string;
  readonly workflow: string;
  readonly status: string;
  readonly pause_reason: string | null;
  readonly task: string;
  readonly cost_usd: number;
  /** False: `cost_usd` is a lower bound. */
  readonly cost_known: boolean;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export interface ItemJson {
  readonly key: string;
  readonly title: string;
  readonly status: string;
  readonly depends_on: readonly string[];
  /** Counts rejections. */
  readonly retry_count: number;
}

export interface NodeJson {
  readonly id: string;
  readonly label: string;
  readonly template: string;
  readonly title: string;
  readonly item: string | null;
  readonly kind: NodeKind;
  readonly state: string;
  readonly generation: number;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly skip_reason: string | null;
  readonly tests: { readonly pass: number; readonly fail: number; readonly skip: number } | null;
  readonly summary: string | null;
  /** Null: not delayed. */
  readonly not_before: string | null;
  /** Null: unknown here. */
  readonly activity: ActivityJson | null;
  /** Completes "waits for …"; null: not waiting, or unknown here. */
  readonly waits_for: string | null;
  /** The stand-in and its reason; null: the first of the list. */
  readonly executor: StandInJson | null;
}

export interface StandInJson {
  readonly name: string;
  /** `until`: the time of the next try. */
  readonly instead_of: readonly { readonly name: string; readonly reason: string; readonly until: string | null }[];
}

export interface ActivityJson {
  readonly action: string | null;
  /** The last message or output line. */
  readonly last: string | null;
  readonly silent_s: number;
  readonly cost_usd: number | null;
  readonly tokens_in: number;
  readonly tokens_out: number;
}

/** Empty in a process that runs no attempts. */
export interface Live {
  readonly lastSign: (attempt: string) => Activity | null;
  readonly waitsFor: (attempt: string) => string | null;
}

export interface InteractionJson {
  readonly id: string;
  readonly kind: string;
  readonly item: string | null;
  readonly node: string | null;
  readonly text: string;
  readonly options: readonly { readonly label: string; readonly press: string }[];
  readonly state: string;
  /** Absent: not handed over. */
  readonly handed_to?: string;
  readonly handed_by?: string;
  /** Absent: nobody reminded others of it. */
  readonly reminded_by?: string;
  readonly reminded_at?: string;
  /** Each person snoozes for themselves. */
  readonly snoozed?: readonly { readonly by: string; readonly until: string }[];
}

const unheard: Live = { lastSign: () => null, waitsFor: () => null };

export function projectStatus(
  store: HomeReader,
  project: ProjectConfig,
  at: number,
  live: Live = unheard,
): ProjectStatus {
  return statusOfRun(store, project, shownRun(store, project.name), { at, live });
}

/** For any run of the project. */
export function statusOfRun(
  store: HomeReader,
  project: ProjectConfig,
  run: Run | null,
  { at, live }: { readonly at: number; readonly live: Live },
): ProjectStatus {
  const spine = run && store.spine(run.id);
  const drafts = store.drafts(project.name);
  return {
    project: project.name,
    aliases: project.aliases,
    level: spine && !isRunOver(spine.run.status) ? spine.run.level : project.level,
    health: healthOf(spine ?? null, { at, lastSign: (id) => live.lastSign(id), stallAfterMs: project.stallAfterMs }),
    run: spine ? runJson(spine.run) : null,
    items: spine ? spine.items.map(itemJson) : [],
    nodes: spine ? nodesOf(store, spine, live) : [],
    interactions: openOf(store, project.name),
    drafts: drafts.map(({ id, task, approved }) => ({ id, task, approved })),
    opened: spine && !isRunOver(spine.run.status) && spine.run.opened ? openedJson(spine.run.opened) : null,
  };
}

function openedJson({ node, step, chain, by, since }: OpenedSession): OpenedJson {
  return { node, step, item: chain === '' ? null : chain, by, since: new Date(since).toISOString() };
}

/** The live run, else the last failed, the next draft, or the last ended one. Skips ended one-shot runs. */
export function shownRun(store: HomeReader, project: string): Run | null {
  const live = store.liveRuns(project);
  const shown = live.find(({ beside }) => !beside) ?? live[0];
  if (shown) return shown;
  const last = store.runs(project, maxRunsLookedAt, null).find((run) => !isGone(run));
  const [draft] = store.drafts(project);
  if (last?.status === 'failed') return last;
  return draft ?? last ?? null;
}

/** Hidden one-shot runs that may precede the shown one. */
const maxRunsLookedAt = 100;

function isGone({ oneShot, status }: Run): boolean {
  return oneShot && isRunOver(status);
}

export function runJson(run: Run): RunStatusJson {
  return {
    id: run.id,
    workflow: run.workflow,
    status: run.status,
    pause_reason: run.pauseReason,
    task: run.task,
    cost_usd: run.costUsd,
    cost_known: isCostKnown(run),
    started_at: iso(run.startedAt),
    ended_at: iso(run.endedAt),
  };
}

function itemJson(item: Item): ItemJson {
  const { key, title, status, dependsOn, rejections } = item;
  return { key, title, status, depends_on: dependsOn, retry_count: rejections };
}

function nodesOf(store: HomeReader, spine: Spine, live: Live): readonly NodeJson[] {
  const stored = store.nodes(spine.run.id);
  const own = stored.filter((node) => node.chain === '');
  const ordered = own.flatMap((node) => {
    const items = spine.items.filter((item) => item.loop === node.id);
    return [node, ...items.flatMap((item) => stored.filter((one) => one.chain === item.key))];
  });
  return nodesJson(ordered, spine, live);
}

export function nodesJson(
  nodes: readonly (Node & { readonly chain: string })[],
  { workflow, run }: Pick<Spine, 'workflow' | 'run'>,
  live: Live,
): readonly NodeJson[] {
  const defs = new Map(definitions(workflow).map((def) => [def.id, def]));
  return nodes.map((node) => nodeJson(node, defs.get(node.template)?.maxAttempts ?? 1, { live, run }));
}

function nodeJson(
  node: Node & { readonly chain: string },
  maxAttempts: number,
  { live: activity, run }: { readonly live: Live; readonly run: Run },
): NodeJson {
  const { last, live } = node;
  return {
    id: node.id,
    label: node.label,
    template: node.template,
    title: node.title,
    item: node.chain === '' ? null : node.chain,
    kind: node.kind,
    state: node.state,
    generation: node.generation,
    attempt: node.attempt,
    max_attempts: maxAttempts,
    outcome: last?.outcome ?? null,
    reason: last?.reason ?? null,
    skip_reason: node.skipReason && skipText(node.skipReason),
    tests: last?.tests ? { pass: last.tests.pass, fail: last.tests.fail, skip: last.tests.skip } : null,
    summary: last?.summary ?? null,
    not_before: live?.startedAt === null ? iso(live.notBefore) : null,
    activity: live && activityOf(activity.lastSign(live.id)),
    waits_for: live?.startedAt === null ? activity.waitsFor(live.id) : null,
    executor: live?.executor === undefined ? null : standIn(live.executor, run),
  };
}

function standIn(name: string, { executors }: Run): StandInJson {
  const failed = (executors?.down ?? []).filter((one) => one.name !== name && one.state !== 'waiting');
  return { name, instead_of: failed.map((one) => ({ name: one.name, reason: one.code, until: iso(one.until) })) };
}

function activityOf(sign: Activity | null): ActivityJson | null {
  if (sign === null) return null;
  const { action, text, line, silentMs, costUsd, tokensIn, tokensOut } = sign;
  return {
    action: action || null,
    last: text || line || null,
    silent_s: Math.floor(silentMs / 1_000),
    cost_usd: costUsd,
    tokens_in: tokensIn,
    tokens_out: tokensOut,
  };
}

function openOf(store: HomeReader, project: string): readonly InteractionJson[] {
  return store.openInteractions(project).map(({ interaction }) => interactionJson(interaction));
}

export function interactionJson(interaction: Interaction): InteractionJson {
  return {
    id: interaction.id,
    kind: interaction.kind,
    item: interaction.chain === '' ? null : interaction.chain,
    node: interaction.node,
    text: interaction.text,
    options: interaction.options.map(({ id, label }) => ({ label, press: `${interaction.id}.${id}` })),
    state: interaction.state,
    ...(interaction.handed && { handed_to: interaction.handed.to, handed_by: interaction.handed.by }),
    ...(interaction.nudged && {
      reminded_by: interaction.nudged.by,
      reminded_at: new Date(interaction.nudged.at).toISOString(),
    }),
    ...(interaction.snoozes && {
      snoozed: interaction.snoozes.map(({ by, until }) => ({ by, until: new Date(until).toISOString() })),
    }),
  };
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
