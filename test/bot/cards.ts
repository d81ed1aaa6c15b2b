// The cards, each as a run comes to show it: what every chat draws is drawn from this one list.

import { noticeView } from '../../src/bot/views/notices.js';
import { present } from '../../src/bot/views/presenter.js';
import { replyViews } from '../../src/bot/views/replies.js';
import { view } from '../../src/bot/views/view.js';
import { stallView, workingView } from '../../src/bot/views/working.js';
import type { Envelope, Interaction, Notice, Reply, State } from '../../src/engine/index.js';
import type { View } from '../../src/store/messages/message-types.js';
import {
  check,
  clean,
  crash,
  def,
  failing,
  handoff,
  item,
  loop,
  Player,
  pass,
  permissionAsk,
  questionAsk,
  said,
  workflow,
} from '../engine/builders.js';

const flow = workflow([
  def('bdd'),
  def('contract'),
  def('review', { kind: 'human' }),
  def('impl', { tests: 'project', maxAttempts: 2 }),
  def('refactor'),
  def('docs'),
  def('verify'),
]);
const task = 'Customers can undo a cancelled order within 30 seconds';
/** By the clock of whoever looks. */
const noon = new Date(2026, 4, 4, 12, 40).getTime();

/** The views of what the last event told of one kind. */
function told(player: Player, type: Notice['type'], index = 0): View {
  const found = player.notices.filter((one) => one.type === type)[index];
  const shown = found && noticeView(found, stateFor(player, found), player.now);
  if (!shown)
    throw new Error(`nothing ${type} was told; there are: ${player.notices.map((one) => one.type).join(', ')}`);
  return shown.view;
}

function stateFor(player: Player, notice: Notice): State {
  if (notice.type === 'item_done' || notice.type === 'item_failed') return player.stateOf(notice.item);
  return 'interaction' in notice ? player.stateOf(notice.interaction.chain) : player.stateOf('');
}

function replied(player: Player, reply: Reply): View {
  const [first] = replyViews(reply, player.stateOf(''));
  if (!first) throw new Error(`nothing is said for ${reply.type}`);
  return first;
}

function firstOpen(player: Player): Interaction {
  const [open] = player.open;
  if (!open) throw new Error('nothing is open');
  return open;
}

function started(): Player {
  const player = Player.create(flow, { task });
  player.now = noon;
  return player.do({ type: 'start', behind: null }).worked();
}

const digest = {
  front: {
    reviewDigest:
      '- 9 scenarios: undo, too late, twice, as a guest\n- "Undo" is a link <button> in the mail & the shop',
    questions: ['Does the window stay 30 seconds for gift cards?'],
    filesChanged: ['features/undo-order.feature', 'docs/undo.md'],
  },
};

function atReview(): Player {
  return started().walk(pass, said({ STATUS: 'pass' }, { handoff: handoff(digest.front) }));
}

function atImpl(): Player {
  return atReview().answer('approve', 'others OK');
}

const red = { ...failing, checks: [check('tests', false, ['undo › too late is refused'])] };
const green = { ...pass, checks: [check('tests', true)], durationMs: 754_000, costUsd: 1.25 };

function storiesWith(impl: Parameters<typeof def>[1], settled: Envelope): Player {
  const flow = workflow([loop('stories', [def('impl', { tests: 'project', maxAttempts: 1, ...impl })])]);
  return Player.start(flow, { task, items: [item('US-1'), item('US-2', ['US-1'])], afterStory: 'propose' }).settle(
    settled,
  );
}

function done(settled = green): Player {
  const diffStat = { files: 4, insertions: 120, deletions: 8 };
  return storiesWith({}, settled).worked({ ...clean, note: 'commit 3de275d', diffStat });
}

/** Every card that people see, by the name of its picture. */
export const cards: Readonly<Record<string, () => View>> = {
  'progress-queued': () => told(started(), 'progress'),
  'progress-working': () => working(),
  'report-silent': () => silent(),
  'progress-trying-again': () => told(atImpl().settle(red), 'settled'),
  'progress-complete': () => told(atImpl().settle(green), 'settled'),
  review: () => told(atReview(), 'asked'),
  'review-approved': () => told(atImpl(), 'decided'),
  'review-rejected': () => told(atReview().answer('reject', 'the window is 60 seconds'), 'decided'),
  question: () => told(started().agentAsks(questionAsk), 'asked'),
  permission: () => told(started().agentAsks(permissionAsk), 'asked'),
  'escalation-failing': () => told(atImpl().settle(red).settle(red), 'asked'),
  'escalation-crashed': () => told(started().settle(crash).settle(crash).settle(crash), 'asked'),
  'confirm-abort': () => told(started().do({ type: 'abort' }), 'asked'),
  'confirm-next-story': () => told(done(), 'asked'),
  'choice-rollback': () => told(atImpl().settle(red).settle(red).answer('rollback'), 'asked'),
  'budget-spent': () => told(Player.start(flow, { task, budgetUsd: 1 }).settle({ ...pass, costUsd: 1.37 }), 'asked'),
  'report-story-done': () => told(done(), 'item_done'),
  'report-story-failed': () => told(storiesWith({ onExhausted: 'fail' }, red), 'item_failed'),
  'report-waits-for-go': () => notice(started(), { type: 'waits_for_go', item: 'US-2', step: 'bdd' }),
  'report-done': () =>
    told(
      done()
        .answer('go')
        .settle(green)
        .worked({ ...clean, note: 'commit 4ab12ce' }),
      'ended',
    ),
  'report-aborted': () => told(started().do({ type: 'abort' }).answer('abort'), 'ended'),
  'answer-needs-text': () => {
    const player = atReview();
    return replied(player, { type: 'needs_text', interaction: firstOpen(player), option: 'changes' });
  },
  'answer-paused': () => {
    const player = started().do({ type: 'pause' });
    const [reply] = player.replies;
    if (!reply) throw new Error('nothing is said');
    return replied(player, reply);
  },
  'answer-name-a-step': () =>
    replied(started(), { type: 'name_a_step', steps: ['bdd', 'contract', 'refactor', 'verify'] }),
  'ack-started': () => replied(started(), { type: 'started' }),
  'error-refused': () => replied(started(), { type: 'refused', why: 'the run is over' }),
  'report-expiring': () => expiring(),
  'error-broken': () => first(present.broken('r12', ['t1'], new Error('no node n9 <in> chain ""'), noon)),
  'answer-code': () =>
    view({ kind: 'answer', text: 'Last words of impl:\n```ts\nif (a < b && c) return "x";\n```\nIt exited with 1.' }),
};

const sign = {
  at: noon,
  line: 'npm test',
  action: 'running npm test -- undo-order',
  text: 'The window is checked in the cart, so I move it.',
  tokensIn: 9_000,
  tokensOut: 400,
  costUsd: 0.42,
  silentMs: 61_000,
};

function working(): View {
  const player = atImpl();
  const [live] = player.run.live;
  if (!live) throw new Error('nothing is live');
  player.do({ type: 'attempt_started', attempt: live.attempt, worker: 'w1' });
  return workingView({ state: player.stateOf(''), followers: [], lastSign: () => sign, at: player.now + 754_000 }).view;
}

function silent(): View {
  const about = { attempt: 'a1', run: 'r12', project: 'shop', chain: 'US-1', step: 'impl', number: 1 };
  return stallView({ ...about, kind: 'silent', sign: { ...sign, silentMs: 600_000 } });
}

function notice(player: Player, given: Notice): View {
  const shown = noticeView(given, player.stateOf(''), player.now);
  if (!shown) throw new Error(`nothing is shown for ${given.type}`);
  return shown.view;
}

function expiring(): View {
  const player = started();
  const node = player.node('bdd');
  if (!node.live) throw new Error('nothing is live');
  const row = { attempt: node.live, run: 'r12', chain: '', node: node.id, checkpoint: null };
  return first(present.expiring(row, 300_000, ['t1'], noon));
}

function first(messages: readonly { readonly view: View }[]): View {
  const [found] = messages;
  if (!found) throw new Error('nothing is said');
  return found.view;
}
