import type { ProjectConfig } from '../../../config/index.js';
import type { Plan } from '../../../dispatch/index.js';
import {
  type Chain,
  currentNode,
  type Interaction,
  isRunOver,
  type Node,
  runsJob,
  walkedSteps,
} from '../../../engine/index.js';
import type { Spine } from '../../../store/index.js';
import { answerInteraction } from '../answer.js';
import { event, spineOf, whyNoRun } from '../drive.js';
import { liveBeside, type MessageContext } from '../message-context.js';
import { currentChain } from '../targets.js';

export type NamedSteps =
  | { readonly refused: string }
  | {
      readonly label: string;
      readonly text: string;
      /** A different stamp makes the proposal stale. */
      readonly stamp: string;
      readonly plan: () => Plan;
    };

export function planSteps(
  ctx: MessageContext,
  project: ProjectConfig,
  steps: readonly string[],
  story: string | null,
): NamedSteps {
  const spine = spineOf(ctx, project);
  if (!spine || isRunOver(spine.run.status)) {
    return {
      refused: `${project.name} has no run ${whyNoRun(spine)}. Give it a task: "${project.name}: <what to do>".`,
    };
  }
  const chain = spine.run.status === 'draft' ? null : chainOf(ctx, spine, story);
  if (chain !== null && 'refused' in chain) return chain;
  return chain === null ? ofDraft(ctx, spine, steps) : ofChain(ctx, spine, chain, steps);
}

function chainOf(ctx: MessageContext, spine: Spine, story: string | null): Chain | { readonly refused: string } {
  const underWay = spine.items.filter(({ status }) => status === 'running');
  if (underWay.length > 1 && spine.run.level !== 'manual') {
    return { refused: "Several stories are running at the same time, so you can't name steps." };
  }
  if (story === null) return currentChain(ctx.now, spine) ?? { refused: `${spine.run.id} has no steps yet.` };
  const item = spine.items.find(({ key }) => key.toLowerCase() === story.toLowerCase());
  const known = spine.items.map(({ key }) => key).join(', ') || 'none yet';
  if (item === undefined) return { refused: `No story "${story}" in ${spine.run.id}. There are: ${known}.` };
  const chain = item.status === 'running' || item.status === 'failed' ? ctx.now.chain(spine.run.id, item.key) : null;
  return chain ?? { refused: `${item.key} is ${item.status}.` };
}

function ofDraft(ctx: MessageContext, spine: Spine, steps: readonly string[]): NamedSteps {
  const { run, workflow } = spine;
  const jobs = walkedSteps(workflow.chain).filter(runsJob);
  const ids = jobs.map(({ id }) => id);
  const why = whyNotDue(run.level, ids, steps);
  if (why !== null) return { refused: `${run.id} has not started. ${why}` };
  return offered(ctx, spine, { chain: '', steps, review: null, stamp: `${run.id}/draft` });
}

function ofChain(ctx: MessageContext, spine: Spine, chain: Chain, steps: readonly string[]): NamedSteps {
  const { run } = spine;
  const story = chain.key || run.id;
  const live = run.live.find((one) => one.chain === chain.key);
  if (live) return { refused: `${story}: ${live.step} is still running.` };
  if (run.ops.length > 0) return { refused: `${story}: Bosun is changing the checkout. Say it again in a moment.` };
  const node = currentNode(chain);
  if (node === null) return { refused: `${story} has no steps left.` };
  const open = openIn(ctx, run, chain.key);
  const review = open.find((one) => one.node === node.id && one.kind === 'review') ?? null;
  const other = open.find((one) => one !== review);
  if (other) return { refused: `${story} is waiting for an answer first: ${other.id} (${other.kind}).` };
  const due = run.level === 'manual' ? chain.nodes : chain.nodes.slice(chain.nodes.indexOf(node));
  const ids = due.filter(runsJob).map(({ template }) => template);
  const why = whyNotDue(run.level, ids, steps);
  if (why !== null) return { refused: `${story} is at ${node.template}. ${why}` };
  return offered(ctx, spine, { chain: chain.key, steps, review, stamp: stampOf(run.id, chain, node) });
}

function openIn({ now }: MessageContext, run: Spine['run'], chain: string): readonly Interaction[] {
  const all = now.reader.openInteractions(run.project).filter((one) => one.run === run.id);
  return all.map(({ interaction }) => interaction).filter((one) => one.chain === chain);
}

/** Above level manual steps run in order, so they must be a prefix. */
function whyNotDue(level: string, due: readonly string[], steps: readonly string[]): string | null {
  const next = `Next: ${due.slice(0, 5).join(', ') || 'nothing'}.`;
  const missing = steps.find((step) => !due.includes(step));
  if (missing !== undefined) return `${missing} is not one of the next steps. ${next}`;
  const isDue = level === 'manual' || steps.every((step, index) => due[index] === step);
  return isDue ? null : `${steps.join(', ')} would skip steps. ${next}`;
}

interface Offered {
  readonly chain: string;
  readonly steps: readonly string[];
  readonly review: Interaction | null;
  readonly stamp: string;
}

function offered(ctx: MessageContext, spine: Spine, { chain, steps, review, stamp }: Offered): NamedSteps {
  const { run } = spine;
  const list = steps.join(', ');
  const where = chain || run.id;
  if (review !== null) {
    const plan = () => answerInteraction(ctx, review.id, { option: 'approve', text: null, steps });
    const text = `${where} waits for a review (${review.id}). Approve it, then run ${list} and stop there?`;
    return { label: `Approve and run ${list}`, text, stamp: `${stamp}/${review.id}`, plan };
  }
  const [first = '', ...then] = steps;
  const isManual = run.level === 'manual';
  const named = isManual ? { node: first, steps: then } : { node: null, steps };
  const behind = liveBeside(ctx, run.project, run.id);
  const plan = () =>
    event(ctx, spine, isManual ? chain : '', { type: 'continue', ...named, instruction: null, behind });
  return { label: `Run ${list}`, text: `run ${list} of ${where} and stop there?`, stamp, plan };
}

/** Changes when the chain moves. */
function stampOf(run: string, chain: Chain, node: Node): string {
  const { id, generation, attempt, state, dispatches } = node;
  return encodeURIComponent([run, chain.key, id, generation, attempt, state, dispatches].join('/'));
}
