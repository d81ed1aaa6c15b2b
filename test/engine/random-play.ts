// Plays moves on a run: each is fitted to what there is, and does nothing where nothing fits.
import { type Chain, type Event, isRunOver } from '../../src/engine/index.js';
import { nodesOf, type Options, Player, pass, permissionAsk, questionAsk, type WholeNode } from './builders.js';
import { choices, envelopeFor, type Move, names, optionOf, resultOf } from './random-run.js';
import type { Setup } from './random-workflow.js';

/** A refusal that blames a story names one that has begun. */
function rolledBack(player: Player, chain: string, node: string): Player {
  const begun = player.state.items.filter((one) => one.startedAt !== null).map((one) => one.key);
  player.do({ type: 'rollback', chain, node });
  const [, blamed] = /^(\S+) has begun;/.exec(player.refusal ?? '') ?? [];
  if (blamed !== undefined && !begun.includes(blamed)) throw new Error(`${blamed} has not begun: ${player.refusal}`);
  return player;
}

/** A run as its first event leaves it. */
export function createRun({ workflow, options }: Setup): Player {
  const { items = [], level = 'auto', afterStory = 'start', budgetUsd = null, propose = false }: Options = options;
  return new Player(workflow).do({
    type: 'run_created',
    ...(options.isOld ? {} : { rules: 5 as const }),
    number: 12,
    home: 'h1',
    project: 'shop',
    workflow: workflow.name,
    snapshot: 's1',
    task: 'Make it',
    items,
    context: options.context,
    level,
    afterStory,
    budgetUsd,
    ...(budgetUsd === null ? {} : { purse: purseOf(budgetUsd) }),
    propose,
    oneShot: options.oneShot,
    ...(options.deliver ? { deliver: options.deliver } : {}),
  });
}

/** Where a run has a budget its project's day has one that is worn sooner or later than it. */
function purseOf(budgetUsd: number) {
  return {
    dayUsd: 0.5,
    dayEndsAt: 40_000,
    dayLimitUsd: budgetUsd + 1,
    projectUsd: 1,
    projectLimitUsd: budgetUsd * 3 + 2,
  };
}

/** One move that fits what is there, or null where nothing does. */
export function play(player: Player, one: Move): Player | null {
  return playAttempt(player, one) ?? playAnswer(player, one) ?? playCommand(player, one);
}

function playAttempt(player: Player, { kind, pick, other }: Move): Player | null {
  const { run } = player;
  const live = run.live[other % Math.max(run.live.length, 1)];
  const chain = chainOf(player, other);
  if (kind === 'next') return next(player, pick, other);
  if (kind === 'settle' && live) return settle(player, pick, other);
  if (kind === 'begin' && live) {
    return player.do({ type: 'attempt_started', chain: live.chain, attempt: live.attempt, worker: 'w1' });
  }
  if (kind === 'work' && run.ops.length > 0) return work(player, pick, other);
  if (kind === 'report') {
    return player.do({ type: 'reported', chain, envelope: envelopeFor(undefined, [], '', choices(pick, other)) });
  }
  if (kind === 'late') return late(player, chainWithLate(player) ?? chain, pick, other);
  if (kind === 'ask' && live) return ask(player, pick, other);
  if (kind === 'expire') return expire(player, pick);
  if (kind === 'remind') return recall(player, pick, other);
  if (kind === 'stale') return late(player, chain, pick, other, `h1-r12-${pick}`);
  return null;
}

/** Where a time limit passed and a person is asked, a late pass may still count. */
function chainWithLate(player: Player): string | null {
  const isLate = ({ nodes }: Chain) => nodes.some((node) => node.live === null && node.last?.outcome === 'timeout');
  return [...player.world.chains.values()].find(isLate)?.key ?? null;
}

/** What is on record comes back once more, now with a pass. */
function late(player: Player, chain: string, pick: number, other: number, name?: string): Player | null {
  const over = player.nodes(chain).flatMap((node) => (node.last && node.live === null ? [node] : []));
  const timedOut = over.filter((node) => node.last?.outcome === 'timeout');
  const node = [...timedOut, ...over][pick % Math.max(over.length + timedOut.length, 1)];
  const attempt = name ?? node?.last?.id;
  if (attempt === undefined) return null;
  const found = envelopeFor(node && defOf(player, node.template), [], '', choices(pick, other));
  const envelope = other % 2 ? { ...found, ...pass } : found;
  return player.do({ type: 'attempt_settled', chain, attempt, envelope });
}

function settle(player: Player, pick: number, other: number): Player | null {
  const live = player.run.live[other % Math.max(player.run.live.length, 1)];
  const node = player.nodes(live?.chain).find((one) => one.id === live?.node);
  if (!live || !node) return null;
  const { chain, attempt } = live;
  if (live.startedAt === null && other % 7) player.do({ type: 'attempt_started', chain, attempt, worker: 'w1' });
  const def = defOf(player, node.template);
  const envelope = envelopeFor(def, player.nodes(chain), node.label, choices(pick, other));
  return player.do({ type: 'attempt_settled', chain, attempt, envelope });
}

function ask(player: Player, pick: number, other: number): Player | null {
  const live = player.run.live[other % Math.max(player.run.live.length, 1)];
  if (!live) return null;
  const { chain, attempt } = live;
  const node = player.nodes(chain).find((one) => one.id === live.node);
  if (node?.state === 'queued' && other % 7) player.do({ type: 'attempt_started', chain, attempt, worker: 'w1' });
  const asked = pick % 2 ? permissionAsk : questionAsk;
  return player.do({ type: 'agent_asked', chain, attempt, key: `k${pick % 4}`, ask: asked });
}

function expire(player: Player, pick: number): Player | null {
  const open = player.open.filter(({ subject }) => 'key' in subject);
  const found = open[pick % Math.max(open.length, 1)];
  if (!found || !('key' in found.subject)) return null;
  const { attempt, key } = found.subject;
  return player.do({ type: 'ask_expired', chain: found.chain, attempt, key: pick % 9 ? key : 'k9' });
}

function recall(player: Player, pick: number, other: number): Player | null {
  const found = player.open[pick % Math.max(player.open.length, 1)];
  if (!found) return null;
  const about = { chain: found.chain, interaction: pick % 9 ? found.id : 'i12-99', by: other % 4 ? 'ada' : 'bob' };
  if (other % 7 === 1) return player.do({ type: 'snooze', ...about, until: player.now + other });
  if (other % 7 === 2) return player.do({ type: 'snooze_ended', ...about });
  if (other % 7 === 3) return player.do({ type: 'wake', ...about });
  if (other % 7 === 5) return player.do({ type: 'nudge', ...about });
  if (other % 7 === 4) return player.do({ type: 'hand', ...about, to: other % 2 ? 'ada' : 'bob' });
  return player.do({ type: other % 3 ? 'remind' : 'escalate', ...about });
}

function work(player: Player, pick: number, other: number): Player | null {
  const op = player.run.ops[other % Math.max(player.run.ops.length, 1)];
  if (!op) return null;
  const result = resultOf(op, choices(pick, other));
  return player.do({ type: 'workspace_done', chain: 'chain' in op ? op.chain : '', op: op.id, result });
}

function defOf(player: Player, template: string): WholeNode | undefined {
  return nodesOf(player.workflow).find((one) => one.id === template);
}

function playAnswer(player: Player, { kind, pick, other }: Move): Player | null {
  if (kind === 'answer') return answer(player, pick, other);
  if (kind === 'answer_wrongly') return wrongly(player, pick);
  if (kind !== 'again') return null;
  const heard = player.events.filter((one) => !raisedTypes.has(one.type));
  const old = heard[pick % heard.length];
  return old ? player.do(old) : null;
}

const raisedTypes = new Set<Event['type']>([
  'item_opened',
  'item_closed',
  'item_reopened',
  'chain_resumed',
  'chain_cancelled',
  'next_named',
]);

/** A run that is over may be unmerged: the folder becomes free, or a person says so. */
function goOn(player: Player, pick: number): Player {
  if (!player.run.unlanded) return player.go();
  return pick % 3 ? player.do({ type: 'folder_freed' }) : player.do({ type: 'land', behind: pick % 2 ? null : 'r11' });
}

function playCommand(player: Player, { kind, pick, other }: Move): Player | null {
  const chain = chainOf(player, other);
  const nodes = player.nodes(chain);
  const found = nodes[pick % Math.max(nodes.length, 1)];
  const node = found?.id ?? 'n0';
  const items = player.state.items;
  switch (kind) {
    case 'continue':
      return goOn(player, pick);
    case 'name': {
      const named = other % 3 ? found?.template : names[pick % names.length];
      const instruction = other % 2 ? 'so' : null;
      return player.do({ type: 'continue', chain, node: named ?? 'x', instruction, behind: null });
    }
    case 'retry':
      return player.do({ type: 'retry', chain, node, note: pick % 2 ? 'mind the gap' : null });
    case 'skip': {
      const review = pick % 2 ? undefined : player.open.find(({ subject }) => subject.type === 'review');
      const place = review?.node == null ? { chain, node } : { chain: review.chain, node: review.node };
      return player.do({ type: 'skip', ...place, reason: other % 3 ? 'not needed' : null });
    }
    case 'skip_item': {
      const item = items[pick % Math.max(items.length, 1)]?.key ?? 'US-0';
      return player.do({ type: 'skip_item', chain: pick % 2 ? chain : '', item, reason: 'no' });
    }
    case 'rollback':
      return rolledBack(player, chain, node);
    case 'kill':
      return player.do(killing(player, chain, pick, other));
    case 'pause':
    case 'abort':
      return player.do({ type: kind, chain });
    case 'budget':
      return player.do({ type: 'budget', chain, addUsd: (pick % 5) - 1 });
    case 'start':
      return player.do({ type: 'start', behind: pick % 4 ? null : 'r11' });
    default:
      return null;
  }
}

/** Everything, or one try alone, whose step is then tried again. */
function killing(player: Player, chain: string, pick: number, other: number) {
  const live = player.run.live[other % Math.max(player.run.live.length, 1)];
  if (live === undefined || pick % 2) return { type: 'kill', chain } as const;
  return { type: 'kill', chain: live.chain, attempt: live.attempt } as const;
}

function chainOf(player: Player, pick: number): string {
  const chains = [...player.world.chains.keys()];
  return chains[pick % chains.length] ?? '';
}

/** Whatever the run waits for. */
function next(player: Player, pick: number, other: number): Player {
  const { run } = player;
  const isWorkFirst = other % 2 === 0;
  const moved = isWorkFirst ? work(player, pick, other) : settle(player, pick, other);
  const done = moved ?? (isWorkFirst ? settle(player, pick, other) : work(player, pick, other));
  if (done) return done;
  const isManual = run.level === 'manual' && run.status !== 'draft' && !isRunOver(run.status);
  return (
    (isManual && player.open.length === 0 ? nameDue(player, other) : null) ??
    answer(player, pick, other) ??
    goOn(player, pick)
  );
}

function nameDue(player: Player, other: number): Player | null {
  const running = player.state.items.filter((one) => one.status === 'running').map((one) => one.key);
  const chain = [...running, ''][other % (running.length + 1)] ?? '';
  const due = player.nodes(chain).find((one) => one.state === 'waiting' || one.state === 'ready');
  return due ? player.do({ type: 'continue', chain, node: due.id, instruction: null, behind: null }) : null;
}

function answer(player: Player, pick: number, other: number): Player | null {
  const open = player.open[pick % Math.max(player.open.length, 1)];
  if (!open) return null;
  // The way out is taken seldom, or no run would live long.
  const wanted = optionOf(open, other);
  const option = ['abort', 'cancel', 'end'].includes(wanted) && pick % 11 ? optionOf(open, 0) : wanted;
  const text = pick % 3 ? `words ${pick}` : null;
  const by = people[(pick + other) % people.length] ?? 'ada';
  const said = { chain: open.chain, interaction: open.id, option, text, by, behind: null };
  return player.do({ type: 'answered', ...said, ...(other % 2 ? { where: 'slack' } : {}) });
}

/** The first one asks for every run. */
const people = ['ada', 'bob', 'cy'];

function wrongly(player: Player, pick: number): Player {
  const open = player.open[pick % Math.max(player.open.length, 1)];
  const interaction = open && pick % 3 ? open.id : `i12-${pick % 20}`;
  const chain = pick % 2 ? (open?.chain ?? '') : 'US-1';
  const option = pick % 5 ? 'retry' : 'frobnicate';
  return player.do({ type: 'answered', chain, interaction, option, text: null, behind: null });
}
