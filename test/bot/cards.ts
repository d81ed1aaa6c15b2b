// Every kind of card and reply, each as a run comes to send it. docs/messages.md shows them, and the tests of each chat
// platform render them. The tables are keyed by the engine's own unions, so the compiler finds a kind without a sample.

import { evidenceView } from '../../src/bot/commands/reading/gather-evidence.js';
import { noticeView } from '../../src/bot/views/notices.js';
import { present } from '../../src/bot/views/presenter.js';
import { replyViews } from '../../src/bot/views/replies.js';
import { view } from '../../src/bot/views/view.js';
import { stallView, workingView } from '../../src/bot/views/working.js';
import { withTimes } from '../../src/dispatch/commit/outgoing-messages.js';
import type { Presenter } from '../../src/dispatch/index.js';
import type {
  Approvals,
  Change,
  Envelope,
  FileChange,
  Interaction,
  Notice,
  Reply,
  State,
  Subject,
  Takeover,
} from '../../src/engine/index.js';
import type { View } from '../../src/store/messages/message-types.js';
import {
  check,
  clean,
  crash,
  def,
  failing,
  goto,
  handoff,
  item,
  loop,
  Player,
  pass,
  permissionAsk,
  policy,
  question,
  questionAsk,
  said,
  workflow,
} from '../engine/builders.js';
import { found, fragment, gate, insert, when } from '../engine/chains.js';

const flow = workflow([
  def('bdd', { title: 'Scenarios' }),
  def('contract', { title: 'API contract' }),
  def('review', { title: 'Review', kind: 'human' }),
  def('impl', { title: 'Implementation', tests: 'project', maxAttempts: 2 }),
  def('refactor', { title: 'Refactor' }),
  def('docs', { title: 'Docs' }),
  def('verify', { title: 'Verification' }),
]);
const task = 'Customers can undo a cancelled order within 30 seconds';
/** In the time zone of the reader. */
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

const treeOf = (letter: string) => letter.repeat(40);

function change(from: string, to: string, files: readonly FileChange[]): Change {
  const sum = (key: 'insertions' | 'deletions') => files.reduce((total, file) => total + file[key], 0);
  const stat = { files: files.length, insertions: sum('insertions'), deletions: sum('deletions') };
  return { from: treeOf(from), to: treeOf(to), stat, files };
}

const feature = { path: 'features/undo-order.feature', insertions: 52, deletions: 0 };
const docs = { path: 'docs/undo.md', insertions: 9, deletions: 4 };

function atReview(): Player {
  const work = { whole: change('a', 'b', [feature, docs]) };
  const logPath = '/shop/.ai/runs/r12/logs/_/step-002.jsonl';
  return started().walk(pass, said({ STATUS: 'pass' }, { handoff: handoff(digest.front), work, logPath }));
}

function atReviewAgain(): Player {
  const whole = change('a', 'c', [feature, { ...docs, insertions: 12 }]);
  const since = change('b', 'c', [{ ...docs, insertions: 3, deletions: 3 }]);
  const again = said({ STATUS: 'pass' }, { handoff: handoff(digest.front), work: { whole, since } });
  return atReview().answer('changes', 'the window is 30 seconds, not 60').settle(again);
}

/** Two stories whose commits went to a branch of the run, and were pushed without a pull request. */
function published(): Player {
  const player = Player.create(workflow([loop('stories', [def('impl', { tests: 'project' })])]), {
    ...{ task, items: [item('US-1'), item('US-2')], afterStory: 'start', deliver: 'pr' },
  });
  player.now = noon;
  const name = 'bosun/r12-customers-can-undo';
  const commitOf = (letter: string) => ({
    ...clean,
    commit: treeOf(letter),
    delivered: { from: `${treeOf(letter)}~1`, to: treeOf(letter), branch: name },
  });
  player.do({ type: 'start', behind: null }).worked({ ...clean, branch: { name, base: 'main', folder: null } });
  for (const letter of ['4', '9'])
    player.settle({ ...green, work: { whole: change('a', letter, [docs]) } }).worked(commitOf(letter));
  player.now += 1_800_000;
  const note = `2 commits, 1 file +18 −8, on the branch ${name}, pushed to origin\nNo pull request was made: `;
  return player.worked({ ...commitOf('9'), note: `${note}\`gh\` is not logged in. Open a pull request there.` });
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

function finished(): Player {
  return done()
    .answer('go')
    .settle(green)
    .worked({ ...clean, note: 'commit 4ab12ce' });
}

const twoApprovals: Approvals = {
  quorum: 2,
  notRequester: false,
  remindAfterMs: null,
  escalateAfterMs: null,
  escalateTo: [],
};

const foreignState: Takeover = {
  words: ['.ai/STATE.json of another orchestrator: US-2 impl, attempt 2, failing. 1 of 3 stories is done.'],
  files: [{ path: '.ai/STATE.json', hash: 'h' }],
  resume: { stories: [], session: null, context: {} },
  afresh: 'propose',
};

const surveying = workflow([def('impl'), def('verify')], {
  survey: '.workflow',
  positions: [{ name: 'planned', begin: 'verify', when: when('phase != null') }],
});

const unclearPosition = {
  ...clean,
  survey: {
    hasFolder: true,
    hasSources: true,
    hasRoadmap: true,
    state: null,
    problem: 'state.json is cut off',
    results: {},
  },
};

const gated = workflow([def('impl'), gate('judge', { onFail: insert('fix'), onEscalate: null }), def('ship')], {
  ...policy({ stopAtDecisions: 'before' }),
  fragments: fragment('fix', ['mend'], { defs: [def('mend')] }),
});

function toPrepare(): Player {
  return Player.create(flow, { task }).do({ type: 'start', behind: null });
}

/** A run whose last event asks about this subject. The compiler keeps the table complete. */
const asking: Readonly<Record<Subject['type'], () => Player>> = {
  proposal: () => Player.create(flow, { task, propose: true }),
  input: () =>
    Player.create(workflow([def('impl')], { inputs: { branch: { required: true, default: null } } }), { task }),
  takeover: () => Player.create(flow, { task, propose: true, takeover: foreignState }),
  position: () => Player.start(surveying, { task }).worked(unclearPosition),
  dirty: () => toPrepare().worked({ ok: false, code: 'dirty', message: 'not clean', files: ['work.txt'] }),
  workspace: () =>
    toPrepare().worked({ ok: false, code: 'blocked', message: 'index.lock is held by another git process', files: [] }),
  review: () => atReview(),
  reject_reason: () => atReview().answer('reject'),
  question: () => Player.start(flow, { task }).settle(question),
  agent_question: () => started().agentAsks(questionAsk),
  agent_permission: () => started().agentAsks(permissionAsk),
  denied: () => Player.start(flow, { task }).settle({ ...failing, asks: [permissionAsk] }),
  stuck: () => atImpl().settle(red).settle(red),
  give_up: () => {
    const mandatory = workflow([
      def('impl', { title: 'Implementation', mandatory: true, maxAttempts: 1 }),
      def('verify'),
    ]);
    return Player.start(mandatory, { task }).settle(failing).answer('skip');
  },
  skip_approval: () => {
    const player = atReview();
    const { chain, node } = firstOpen(player);
    return player.do({ type: 'skip', chain, node: node ?? '', reason: 'docs only' });
  },
  rollback_target: () => atImpl().settle(red).settle(red).answer('rollback'),
  next_item: () => done(),
  items_failed: () => {
    const flow = workflow(
      [loop('stories', [def('impl', { title: 'Implementation', maxAttempts: 1, onExhausted: 'fail' })])],
      {
        ...policy({ onItemFailed: 'continue' }),
      },
    );
    return Player.start(flow, { task, items: [item('US-1'), item('US-2', ['US-1'])] }).settle(failing);
  },
  gate: () =>
    Player.start(gated, { task })
      .settle(pass)
      .worked(found({ passed: false, gaps: ['no login'] })),
  gate_stuck: () => {
    const stuck = def('decide', { kind: 'human', onAnswer: { continue: goto('impl') } });
    return Player.start(workflow([def('impl'), stuck, def('ship')]), { task }).walk(pass);
  },
  fuse: () => Player.start(flow, { task, budgetUsd: 1 }).settle({ ...pass, costUsd: 1.37 }),
  abort: () => started().do({ type: 'abort', changed: { count: 3, names: ['src/undo.ts', 'test/undo.test.ts'] } }),
  leftovers: () => aborted().worked({ ...clean, left: leftWork }),
  land: () => unlanded(),
};

/** A run beside another, whose branch waits for the folder that is free now. */
function unlanded(): Player {
  const branch = { name: 'bosun/r12-customers-can-undo', base: 'main', folder: '/worktrees/r12/run' };
  const delivered = { from: treeOf('a'), to: treeOf('b'), branch: branch.name };
  return Player.create(workflow([def('impl')]), { task })
    .do({ type: 'start', behind: null, beside: true })
    .worked({ ...clean, branch })
    .walk(pass)
    .worked({ ...clean, note: '1 commit', isUnlanded: true, delivered })
    .worked()
    .do({ type: 'folder_freed' });
}

const leftWork = {
  ...{ from: 'tree-1', to: 'tree-2', stat: { files: 2, insertions: 47, deletions: 2 } },
  files: [
    { path: 'src/orders.ts', insertions: 40, deletions: 2 },
    { path: 'work.txt', insertions: 7, deletions: 0 },
  ],
};

function aborted(): Player {
  return Player.start(flow, { task, rules: 5 }).do({ type: 'abort' }).answer('abort');
}

/** What each kind of notice looks like, apart from `asked`, which `asking` has. */
const noticed: Readonly<Record<Exclude<Notice['type'], 'asked' | 'task_edited'>, () => View>> = {
  progress: () => told(started(), 'progress'),
  settled: () => told(atImpl().settle(red), 'settled'),
  decided: () => told(atImpl(), 'decided'),
  voted: () => {
    const player = atReview();
    const vote = { option: 'approve', text: null, by: 'bob', at: noon, where: 'slack' };
    const interaction = { ...firstOpen(player), approvals: twoApprovals, votes: [vote] };
    return notice(player, { type: 'voted', interaction });
  },
  reminded: () => {
    const player = atReview();
    const interaction = { ...firstOpen(player), reminded: { count: 1, at: player.now } };
    player.now += 7_200_000;
    return notice(player, { type: 'reminded', interaction });
  },
  nudged: () => {
    const player = atReview();
    const { id, chain } = firstOpen(player);
    player.now += 7_200_000;
    return told(player.do({ type: 'nudge', chain, interaction: id, by: 'cy' }), 'nudged');
  },
  handed: () => {
    const player = atReview();
    const { id, chain } = firstOpen(player);
    return told(player.do({ type: 'hand', chain, interaction: id, to: 'bob' }), 'handed');
  },
  reworded: () => {
    const player = Player.create(flow, { task, propose: true });
    return told(
      player.do({ type: 'edit_task', task: 'Customers can undo a cancelled order within a minute' }),
      'reworded',
    );
  },
  snooze_over: () => {
    const player = atReview();
    player.now += 3_600_000;
    return notice(player, { type: 'snooze_over', interaction: firstOpen(player), people: ['ada'] });
  },
  escalated: () => {
    const player = atReview();
    player.now += 14_400_000;
    return notice(player, { type: 'escalated', interaction: firstOpen(player), to: ['dan'] });
  },
  item_done: () => told(done(), 'item_done'),
  item_failed: () => told(storiesWith({ onExhausted: 'fail' }, red), 'item_failed'),
  executor_replaced: () =>
    notice(started(), {
      ...{ type: 'executor_replaced', failed: 'claude', code: 'rate_limited', until: noon + 7_200_000 },
      ...{ by: 'codex', from: null },
    }),
  executor_back: () => notice(started(), { type: 'executor_back', name: 'claude' }),
  words: () => notice(started(), { type: 'words', key: 'k', node: 'n1', text: 'Use JWT', state: 'sent' }),
  session: () => notice(started(), { type: 'session', key: 'k', step: 'impl', by: 'ada', state: 'open' }),
  waits_for_go: () => notice(started(), { type: 'waits_for_go', item: 'US-2', step: 'bdd' }),
  ended: () => told(finished(), 'ended'),
  left_settled: () => told(aborted().worked({ ...clean, left: null }), 'left_settled'),
  landed: () =>
    told(
      unlanded()
        .answer('merge')
        .worked({ ok: false, code: 'conflict', message: 'it does not apply', files: ['src/orders.ts'] }),
      'landed',
    ),
  approval_skipped: () =>
    notice(atReview(), { type: 'approval_skipped', title: 'Review', by: 'carol', reason: 'docs only' }),
  told: () => notice(started(), { type: 'told', text: 'judge: gaps, fixing (1/2)', decision: 'judge → fix' }),
};

/** What each kind of reply to the sender looks like. `taken` sends nothing. */
const replies: Readonly<Record<Exclude<Reply['type'], 'taken'>, () => View>> = {
  drafted: () => replied(started(), { type: 'drafted', position: 2 }),
  started: () => replied(started(), { type: 'started' }),
  going_on: () => replied(started(), { type: 'going_on', step: 'impl' }),
  still_running: () => replied(started(), { type: 'still_running', item: '', step: 'impl', sinceMs: 754_000 }),
  checkout_busy: () => replied(started(), { type: 'checkout_busy' }),
  shown: () => {
    const player = atReview();
    return replied(player, { type: 'shown', interactions: player.open });
  },
  nothing_to_do: () => replied(started(), { type: 'nothing_to_do' }),
  name_a_step: () => replied(started(), { type: 'name_a_step', steps: ['bdd', 'contract', 'refactor', 'verify'] }),
  queued_behind: () => replied(started(), { type: 'queued_behind', run: 'r11' }),
  blocked: () => replied(started(), { type: 'blocked', item: 'US-2', by: ['US-1'] }),
  paused: () => {
    const player = started().do({ type: 'pause' });
    const [reply] = player.replies;
    if (!reply) throw new Error('the run sent no reply');
    return replied(player, reply);
  },
  killing: () => replied(started(), { type: 'killing', count: 1 }),
  aborting: () => replied(started(), { type: 'aborting', dropped: 1 }),
  retrying: () => replied(started(), { type: 'retrying', item: 'US-1', step: 'impl' }),
  skipped: () => replied(started(), { type: 'skipped', item: 'US-1', step: 'refactor' }),
  rolling_back: () => replied(started(), { type: 'rolling_back', step: 'contract' }),
  budget: () => replied(started(), { type: 'budget', usd: 5 }),
  voted: () => {
    const player = atReview();
    const interaction = { ...firstOpen(player), approvals: twoApprovals, votes: [] };
    return replied(player, { type: 'voted', interaction, isRepeated: false });
  },
  needs_text: () => {
    const player = atReview();
    return replied(player, { type: 'needs_text', interaction: firstOpen(player), option: 'changes' });
  },
  refused: () => replied(started(), { type: 'refused', why: 'the run is over' }),
};

/** What the runtime reports by itself. `notice` and `reply` are above. */
const reported: Readonly<Record<Exclude<keyof Presenter, 'notice' | 'reply'>, () => View>> = {
  expiring: () => expiring(),
  working: () => working().chat,
  stalled: () => silent(),
  abortHeard: () => {
    const player = started().do({ type: 'abort' }).answer('abort');
    const about = { state: player.stateOf(''), worker: 'build-2', followers: ['t1'], at: noon };
    const cards = { ...noEnding, isInChat: () => false, cardIn: () => null, newestSettled: () => null };
    return first(present.abortHeard({ ...about, cards, isLost: false }));
  },
  untaken: () => {
    const words = { what: 'a worker that has claude', why: 'none of 2 workers has it', start: 'bosun worker' };
    return first(present.untaken([{ run: 'r12', project: 'shop', words }], 't1', noon));
  },
  outage: () => first(present.outage('Redis does not answer: connect ECONNREFUSED 127.0.0.1:6379', ['t1'], noon)),
  unwritten: () => first(present.unwritten('disk full', 42_000, ['t1'], noon)),
  nextQueued: () => first(present.nextQueued(started().run, ['t1'], noon)),
  broken: () =>
    first(
      present.broken({
        ...{ run: 'r12', project: 'shop', task, followers: ['t1'], at: noon },
        error: new Error('no node n9 <in> chain ""'),
      }),
    ),
};

const others: Readonly<Record<string, () => View>> = {
  'review, second round': () => told(atReviewAgain(), 'asked'),
  'review approved': () => told(atImpl(), 'decided'),
  'review rejected': () => told(atReview().answer('reject', 'the window is 60 seconds'), 'decided'),
  'step crashed': () => told(started().settle(crash).settle(crash).settle(crash), 'asked'),
  'working, at the terminal': () => working().local,
  'step complete': () => told(atImpl().settle(green), 'settled'),
  'step stuck with a log': () => {
    const logged = { ...red, logPath: '/shop/.ai/runs/r12/logs/_/step-004.jsonl' };
    return told(atImpl().settle(logged).settle(logged), 'asked');
  },
  'run published': () => told(published(), 'ended'),
  'run aborted': () => told(started().do({ type: 'abort' }).answer('abort'), 'ended'),
  'first card of a finished run': () => firstCardOf(finished()),
  'first card of an aborted run': () => firstCardOf(started().do({ type: 'abort' }).answer('abort')),
  'Redis is back': () => first(present.outage(null, ['t1'], noon)),
  'a diff that a button shows': () => {
    const text =
      'diff --git a/docs/undo.md b/docs/undo.md\n--- a/docs/undo.md\n+++ b/docs/undo.md\n@@ -1 +1 @@\n-60 seconds\n+30 seconds';
    const place = ['shop', '1 file +1 −1, as in i12-3'];
    const list = ['docs/undo.md +1 −1'];
    const whole = { name: 'shop-r12.diff', text };
    return evidenceView({ title: `Diff · ${task}`, place, list, whole, language: 'diff' });
  },
  'an answer with code': () =>
    view('answer', 'Last words of impl:\n```ts\nif (a < b && c) return "x";\n```\nThe agent exited with code 1.'),
};

function named(prefix: string, table: Readonly<Record<string, () => View>>) {
  return Object.entries(table).map(([name, make]) => [`${prefix}${name.replaceAll('_', ' ')}`, make] as const);
}

/** Every card and reply, in the sections of docs/messages.md. */
export const sections = [
  inWords(
    'Questions to people',
    Object.entries(asking).map(([name, play]) => [name.replaceAll('_', ' '), () => told(play(), 'asked')] as const),
  ),
  inWords('What happens in a run', named('', noticed)),
  inWords('Replies to the sender', named('', replies)),
  inWords('Reports of the runtime', named('', reported)),
  inWords('More forms', named('', others)),
];

/** As the commit words them. */
function inWords(title: string, messages: readonly (readonly [string, () => View])[]) {
  return [title, messages.map(([name, make]) => [name, () => withTimes(make())] as const)] as const;
}

/** Every card by its name, prefixed by its section. */
export const cards: Readonly<Record<string, () => View>> = Object.fromEntries(
  sections.flatMap(([title, messages]) => messages.map(([name, make]) => [`${title}: ${name}`, make] as const)),
);

const noEnding = { ending: () => null, proposal: () => null };

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

/** Below the review that was approved before. */
/** The proposal that started the run, as its end edits it. */
function firstCardOf(player: Player): View {
  const proposed = Player.create(flow, { task, propose: true });
  proposed.now = noon;
  const proposal = firstOpen(proposed);
  const settled = told(proposed.answer('start'), 'decided');
  const shown = { thread: 't1', run: 'r12', interaction: proposal.id, card: proposal.id, view: settled, at: noon };
  const answered = player.notices.flatMap((one) => (one.type === 'decided' ? [one.interaction] : [])).at(-1) ?? null;
  const isAborted = player.run.status === 'cancelled';
  const context = {
    ...{ state: player.stateOf(''), origin: null, followers: ['t1'], publicUrl: null },
    event: { type: 'abort', run: 'r12', chain: '', at: player.now, by: 'ada' } as const,
    cards: {
      isInChat: () => true,
      cardIn: (_: string, card: string) => (card === proposal.id ? shown : null),
      newestSettled: () => null,
      proposal: () => proposal,
      ending: () => (isAborted ? answered : null),
    },
  };
  const messages = present.notice({ type: 'ended', note: 'commit 4be1d2a0, 3 files +41 −6' }, context);
  const found = messages.find(({ card }) => card === proposal.id);
  if (!found) throw new Error('the first card was not edited');
  return found.view;
}

function working(): { readonly local: View; readonly chat: View } {
  const player = atImpl();
  const settled = told(player, 'decided');
  const answered = player.notices.flatMap((one) => (one.type === 'decided' ? [one.interaction] : [])).at(-1) ?? null;
  const [live] = player.run.live;
  if (!live) throw new Error('nothing is live');
  player.do({ type: 'attempt_started', attempt: live.attempt, worker: 'w1' });
  const about = { state: player.stateOf(''), lastSign: () => sign, at: player.now + 754_000 };
  const shown = { thread: 't1', run: 'r12', interaction: null, card: answered?.id ?? null, view: settled, at: noon };
  const cards = { ...noEnding, isInChat: () => true, cardIn: () => shown, newestSettled: () => answered };
  return {
    local: workingView(about).view,
    chat: first(present.working({ ...about, followers: ['t1'], cards })),
  };
}

function silent(): View {
  const about = { project: 'shop', chain: 'US-1', work: 'Title of US-1', step: 'Implementation' };
  return stallView({
    ...{ attempt: 'a1', run: 'r12', about, number: 1 },
    kind: 'silent',
    sign: { ...sign, silentMs: 600_000 },
  });
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
  const about = { project: 'shop', chain: '', work: task, step: 'Scenarios' };
  return first(present.expiring({ row, about, inMs: 300_000, followers: ['t1'], at: noon }));
}

function first(messages: readonly { readonly view: View }[]): View {
  const [found] = messages;
  if (!found) throw new Error('nothing is said');
  return found.view;
}
