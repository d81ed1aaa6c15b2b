// Stories side by side, each in a worktree of its own: opened, merged, mended, dropped, and taken up again.
import { describe, expect, it } from 'vitest';
import type { NewItem, NodeDef } from '../../src/engine/index.js';
import { renderPrompt } from '../../src/engine/index.js';
import { clean, failing, item, loop, Player, pass, policy, question, said, workflow } from './builders.js';
import { entries, lives, optionsOf, resolve, settleIn, step, steps, told, workOn, works } from './chains.js';

const body = [step('code', { editable: false }), step('check', { mandatory: true, pinLast: true })];
const onItemDone = {
  squash: 'feat: {{item.key}} - {{item.title}}',
  conflict: { insert: 'rebase_resolve', before: 'check' },
};
const patch: Partial<NodeDef> = { parallel: 2, isolate: 'worktree', stepTypes: [resolve], onItemDone };
const goOn = {
  ...policy({ onItemFailed: 'continue', afterStory: 'start' }),
  exports: ['state', 'workflow-state'] as const,
};
const flow = workflow([loop('stories', body, patch)], goOn);

function begun(items: readonly NewItem[], chosen = flow, options = {}): Player {
  const player = Player.start(chosen, { items, ...options });
  for (const one of player.state.items) if (one.status === 'running') workOn(player, 'open', one.key);
  return player;
}

const abc = [item('A'), item('B'), item('C')];
const conflict = { ok: false, code: 'conflict', message: 'it does not apply', files: ['a.ts', 'b.ts'] } as const;
const blocked = { ok: false, code: 'blocked', message: 'no disk', files: [] } as const;

/** A's chain is done and its branch is on its way. */
function merging(items = [item('A')], chosen = flow): Player {
  const player = begun(items, chosen);
  return settleIn(settleIn(player, 'A'), 'A');
}

describe('parallel stories', () => {
  it('start up to the limit at once, each opening its worktree first', () => {
    const player = Player.start(flow, { items: abc });
    expect([player.stories(), works(player), lives(player)]).toEqual([
      'A:running B:running C:ready',
      ['open A', 'open B'],
      [],
    ]);
    expect(player.run.ops.map((op) => op.kind === 'open' && op.slot)).toEqual([1, 2]);
    workOn(player, 'open', 'B');
    expect([works(player), lives(player)]).toEqual([['open A'], ['B/code']]);
    expect(lives(workOn(player, 'open', 'A'))).toEqual(['B/code', 'A/code']);
  });

  it.each([
    [1, 'A:running B:ready C:ready'],
    [3, 'A:running B:running C:running'],
  ])('run as many at once as --agents %i says, overriding the workflow', (parallel, stories) => {
    expect(Player.start(flow, { items: abc, parallel }).stories()).toBe(stories);
  });

  it('advance independently, in whichever order their steps finish', () => {
    const player = begun(abc);
    settleIn(player, 'B');
    expect(lives(player)).toEqual(['A/code', 'B/check']);
    settleIn(player, 'A');
    expect(lives(player)).toEqual(['B/check', 'A/check']);
  });

  it('keep their slot while they merge', () => {
    const player = merging(abc);
    player.do({ type: 'chain_resumed', retryFailed: false });
    expect(player.stories()).toBe('A:merging B:running C:ready');
  });

  it('are done after their merge and free their slot for the next', () => {
    const player = merging(abc);
    expect([player.stories(), works(player)]).toEqual(['A:merging B:running C:ready', ['merge A']]);
    expect(player.run.ops[0]).toMatchObject({ message: 'feat: A - Title of A\n\nAbout A' });
    workOn(player, 'merge', 'A', { ...clean, commit: 'abcdef012345' });
    expect([player.stories(), works(player)]).toEqual(['A:done B:running C:running', ['open C']]);
    expect(player.state.items.map((one) => one.slot)).toEqual([null, 2, 1]);
    expect(entries(player).map((one) => `${one.action} ${one.chain}`)).toEqual([
      'story_merged A',
      'story_completed A',
      'story_claimed C',
    ]);
    expect(player.notices).toContainEqual({ type: 'item_done', item: 'A', note: 'commit abcdef01' });
    expect(player.state.items[0]).toMatchObject({ unchanged: false });
    settleIn(settleIn(player, 'B', said({ STATUS: 'pass' }, { filesChanged: ['a.ts'] })), 'B');
    // What its steps changed and took back again is no change.
    expect(workOn(player, 'merge', 'B').state.items[1]).toMatchObject({ status: 'done', unchanged: true });
  });

  it('start without a proposal while another story is running', () => {
    const player = begun([item('A'), item('B'), item('C', ['A'])], flow, { afterStory: 'propose' });
    expect(player.stories()).toBe('A:running B:running C:ready');
    settleIn(settleIn(player, 'A'), 'A');
    workOn(player, 'merge', 'A');
    expect([player.stories(), player.asks]).toEqual(['A:done B:running C:running', []]);
    workOn(player, 'open', 'C');
    for (const key of ['B', 'C']) {
      settleIn(settleIn(player, key), key);
      workOn(player, 'merge', key);
    }
    expect(player.run.status).toBe('completed');
    const alone = begun([item('A'), item('B', ['A'])], flow, { afterStory: 'propose' });
    settleIn(settleIn(alone, 'A'), 'A');
    expect([workOn(alone, 'merge', 'A').stories(), alone.asks]).toEqual(['A:done B:ready', ['next_item']]);
  });

  it('continue while one of them asks a question', () => {
    const player = begun(abc);
    settleIn(player, 'A', question);
    expect([player.asks, player.run.status]).toEqual([['question'], 'running']);
    settleIn(player, 'B');
    expect(lives(player)).toEqual(['B/check']);
    player.answer('answer', 'Blue.');
    expect(lives(player)).toEqual(['B/check', 'A/code']);
  });

  it('wait until the stories they depend on are done', () => {
    const player = begun([item('A'), item('B', ['A']), item('C', ['B'])]);
    expect(player.stories()).toBe('A:running B:ready C:ready');
  });

  it('merge with a default commit message when the workflow gives none', () => {
    const plain = workflow([loop('stories', body, { ...patch, onItemDone: null })], goOn);
    expect(merging([item('A')], plain).run.ops[0]).toMatchObject({ message: 'A: Title of A\n\nAbout A' });
  });
});

describe('a parallel story that fails', () => {
  const failed = () => settleIn(begun([item('A'), item('B', ['A']), item('C', ['B']), item('D')]), 'A', failing);

  it('rolls back its try and drops its worktree while the others continue', () => {
    const player = failed();
    expect([player.stories(), works(player), lives(player)]).toEqual([
      'A:failed B:blocked C:blocked D:running',
      ['rollback A', 'drop A'],
      ['D/code'],
    ]);
    expect(player.run.ops[0]).toMatchObject({ keepAs: 'failures/A-step-001.diff' });
    workOn(player, 'rollback', 'A');
    workOn(player, 'drop', 'A');
    expect([player.state.items[0]?.slot, works(player), player.asks]).toEqual([null, [], []]);
    const history = failed();
    const blocked = entries(history, 'story_blocked').map((one) => one.chain);
    expect(blocked).toEqual(['B', 'C']);
  });

  /** Everything else has come to its end. */
  const alone = () => {
    const player = failed();
    settleIn(settleIn(player, 'D'), 'D');
    return workOn(player, 'merge', 'D');
  };

  it('asks with all failed and blocked stories once nothing else is left to run', () => {
    const player = alone();
    workOn(player, 'rollback', 'A');
    // A worktree that is being cleared away keeps nobody waiting.
    expect([works(player), player.run.status]).toEqual([['drop A'], 'paused']);
    workOn(player, 'drop', 'A');
    expect([player.asks, player.run.status, player.run.pauseReason]).toEqual([['items_failed'], 'paused', 'failure']);
    expect(player.open[0]?.text).toBe(
      'Nothing is left to do: 1 done, 1 failed (A), 2 blocked (B, C).\nA failed at code (1 attempt)\nB waits for A\nC waits for B',
    );
    expect(optionsOf(player)).toEqual(['retry-A', 'note-A', 'skip-A', 'skip-B', 'skip-C', 'abort']);
  });

  it('gets a new worktree on Retry and unblocks its dependents when done', () => {
    const player = alone();
    workOn(player, 'rollback', 'A');
    workOn(player, 'drop', 'A').answer('retry-A');
    expect(works(player)).toEqual(['open A']);
    settleIn(workOn(player, 'open', 'A'), 'A');
    settleIn(player, 'A');
    workOn(player, 'merge', 'A');
    expect(player.stories()).toBe('A:done B:running C:ready D:done');
  });

  it.each([clean, blocked])('reopens its worktree only after the old one is gone when retried early', (result) => {
    const player = alone();
    workOn(player, 'rollback', 'A');
    player.answer('retry-A');
    if (player.stories().startsWith('A:failed')) {
      expect(player.refusal).toBeTruthy();
      player.worked(result).answer('retry-A');
    } else {
      workOn(player, 'drop', 'A', result);
    }
    expect(works(player)).toEqual(['open A']);
  });

  it('can be given up, and the run completes', () => {
    const player = alone();
    workOn(player, 'rollback', 'A');
    workOn(player, 'drop', 'A').answer('skip-A');
    player.answer('skip-B');
    player.answer('skip-C');
    expect([player.stories(), player.run.status]).toEqual(['A:cancelled B:cancelled C:cancelled D:done', 'completed']);
  });

  it('cannot be rolled back without a worktree', () => {
    const player = settleIn(settleIn(begun([item('A')]), 'A'), 'A', failing);
    workOn(player, 'rollback', 'A');
    workOn(player, 'drop', 'A').do({ type: 'rollback', chain: 'A', node: player.node('code', 'A').id });
    expect([player.refusal, works(player)]).toEqual(['the worktree of A is gone; retry it first', []]);
  });

  it('fails the run, when the workflow says so, after the stories beside it have ended', () => {
    const strict = workflow([loop('stories', body, patch)]);
    const player = settleIn(begun(abc, strict), 'A', failing);
    expect([player.stories(), player.run.status]).toEqual(['A:failed B:running C:ready', 'running']);
    workOn(player, 'rollback', 'A');
    workOn(player, 'drop', 'A');
    settleIn(settleIn(player, 'B'), 'B');
    workOn(player, 'merge', 'B');
    expect([player.stories(), player.run.status]).toEqual(['A:failed B:done C:ready', 'failed']);
  });
});

describe('a story branch with a merge conflict', () => {
  it('gets a resolve step before its last step, runs the last step again, and merges again', () => {
    const player = workOn(merging(), 'merge', 'A', conflict);
    expect(entries(player).map((one) => one.action)).not.toContain('story_claimed');
    expect([player.stories(), lives(player)]).toEqual(['A:running', ['A/rebase_resolve']]);
    expect(steps(player, 'A')).toEqual(['001 code', '003 rebase_resolve', '002 check']);
    expect(player.node('check', 'A')).toMatchObject({ state: 'waiting', generation: 2 });
    expect(told(player)).toEqual(['A conflicts with the base: a.ts, b.ts']);
    const { text } = renderPrompt(player.stateOf('A'), player.node('rebase_resolve', 'A').id);
    expect(text).toContain('in conflict: a.ts, b.ts');
    settleIn(settleIn(player, 'A'), 'A');
    expect(works(player)).toEqual(['merge A']);
    expect(workOn(player, 'merge', 'A').run.status).not.toBe('paused');
    expect(player.stories()).toBe('A:done');
  });

  it('gets its resolve step first when the chain has only its last step', () => {
    const only = workflow([loop('stories', body.slice(1), patch)], goOn);
    const player = workOn(settleIn(begun([item('A')], only), 'A'), 'merge', 'A', conflict);
    expect(steps(player, 'A')).toEqual(['002 rebase_resolve', '001 check']);
  });

  it('asks a person after max_loops resolve steps, and tries one more after a retry', () => {
    const stepTypes = [{ ...resolve, maxLoops: 2 }];
    const player = merging([item('A')], workflow([loop('stories', body, { ...patch, stepTypes })], goOn));
    const again = () => settleIn(settleIn(workOn(player, 'merge', 'A', conflict), 'A'), 'A');
    again();
    again();
    workOn(player, 'merge', 'A', conflict);
    expect([player.stories(), lives(player), player.asks]).toEqual(['A:merging', [], ['workspace']]);
    expect(player.open[0]?.text).toBe('it does not apply\n2 × rebase_resolve did not resolve it\na.ts\nb.ts');
    expect(works(player.answer('retry'))).toEqual(['merge A']);
    expect(lives(workOn(player, 'merge', 'A', conflict))).toEqual(['A/rebase_resolve']);
  });

  it('fails its story when the chain is full', () => {
    const full = { ...flow, limits: { ...flow.limits, nodesPerItem: 2 } };
    const player = workOn(merging([item('A')], full), 'merge', 'A', conflict);
    expect(player.stories()).toBe('A:failed');
    expect(player.run.scratch).toContain('1 more steps would make 3; 2 are allowed');
  });

  it("fails its story when the run's insertions are used up", () => {
    const worn = { ...flow, limits: { ...flow.limits, insertions: 0, perItem: 0 } };
    const player = workOn(merging([item('A')], worn), 'merge', 'A', conflict);
    expect([player.stories(), lives(player)]).toEqual(['A:failed', []]);
    expect(player.run.scratch).toContain("the run's 0 insertions are used up");
  });

  it.each([
    ['has no step that resolves it', workflow([loop('stories', body, { ...patch, onItemDone: null })], goOn), conflict],
    [
      'has no such step',
      workflow(
        [
          loop('stories', body, {
            ...patch,
            onItemDone: { ...onItemDone, conflict: { insert: 'rebase_resolve', before: 'nobody' } },
          }),
        ],
        goOn,
      ),
      conflict,
    ],
    ['would know, and it is the disk', flow, blocked],
  ])('asks a person when the workflow %s', (_, chosen, result) => {
    const player = workOn(merging([item('A')], chosen), 'merge', 'A', result);
    expect([player.stories(), player.asks, optionsOf(player)]).toEqual([
      'A:merging',
      ['workspace'],
      ['retry', 'go_on', 'abort'],
    ]);
    expect(works(player.answer('retry'))).toEqual(['merge A']);
    expect(workOn(player, 'merge', 'A').stories()).toBe('A:done');
  });

  it('can be given up, which drops its worktree', () => {
    const player = workOn(merging(abc), 'merge', 'A', blocked).answer('go_on');
    expect(player.stories()).toBe('A:cancelled B:running C:running');
    expect(works(player)).toContain('drop A');
  });
});

describe('an abort with parallel stories', () => {
  it('drops every worktree and reports those that could not be dropped', () => {
    const player = begun(abc).do({ type: 'abort' });
    const cancels = player.run.live.map(({ attempt }) => ({ type: 'cancel', attempt }));
    player.answer('abort');
    expect([player.stories(), player.run.status]).toEqual(['A:cancelled B:cancelled C:cancelled', 'cancelled']);
    expect(cancels).toHaveLength(2);
    expect(player.effects.filter(({ type }) => type === 'cancel')).toEqual(cancels);
    expect(works(player)).toEqual(['drop A', 'drop B']);
    workOn(player, 'drop', 'A');
    workOn(player, 'drop', 'B', blocked);
    expect([told(player), works(player), player.state.items.map((one) => one.slot)]).toEqual([
      ['no disk'],
      [],
      [null, null, null],
    ]);
  });

  it('drops each worktree only once', () => {
    const player = settleIn(begun(abc), 'A', failing).do({ type: 'abort' }).answer('abort');
    expect(works(player).filter((one) => one === 'drop A')).toHaveLength(1);
  });

  it('lets a running merge end and starts no other', () => {
    const player = merging(abc).do({ type: 'abort' }).answer('abort');
    workOn(player, 'merge', 'A', conflict);
    expect([player.stories(), told(player)]).toEqual(['A:cancelled B:cancelled C:cancelled', ['it does not apply']]);
  });
});

describe('a worktree that cannot be opened', () => {
  it('asks a person while the other stories continue', () => {
    const player = Player.start(flow, { items: abc });
    workOn(player, 'open', 'A', blocked);
    workOn(player, 'open', 'B');
    expect([player.asks, lives(player), optionsOf(player)]).toEqual([['workspace'], ['B/code'], ['retry', 'abort']]);
    player.answer('retry');
    expect(lives(workOn(player, 'open', 'A'))).toEqual(['B/code', 'A/code']);
  });

  it('holds back only its own story', () => {
    const player = Player.start(flow, { items: abc });
    workOn(player, 'open', 'A', blocked).do({ type: 'skip_item', item: 'C', reason: 'no', by: 'ada' });
    expect(player.stories()).toBe('A:running B:running C:cancelled');
    player.do({ type: 'skip_item', item: 'B', reason: 'no' });
    expect(player.refusal).toBe('the checkout is being worked on; try again in a moment');
    workOn(player, 'open', 'B').do({ type: 'skip_item', item: 'B', reason: 'no' });
    expect(player.refusal).toBe('B is still running; stop it first');
  });
});

describe('starting one chosen story', () => {
  const serial = workflow([loop('stories', [step('code')])]);
  const items = [item('A'), item('B', ['A']), item('C')];
  const startOnly = (player: Player, firstStory: string) => player.do({ type: 'start', behind: null, firstStory });

  it('runs it alone and asks before any other, even in a run that starts stories by itself', () => {
    const player = startOnly(Player.create(flow, { items: abc }), 'b').worked();
    expect(player.stories()).toBe('A:ready B:running C:ready');
    workOn(player, 'open', 'B');
    settleIn(settleIn(player, 'B'), 'B');
    workOn(player, 'merge', 'B');
    expect([player.stories(), player.asks]).toEqual(['A:ready B:done C:ready', ['next_item']]);
    player.go();
    expect(player.stories()).toBe('A:running B:done C:running');
  });

  it('can be chosen in the import and started with "continue"', () => {
    const player = Player.create(serial, { items, firstStory: 'C' }).go().worked();
    expect(player.stories()).toBe('A:ready B:ready C:running');
  });

  it('replaces the story that the run proposes next', () => {
    const player = Player.start(serial, { items, afterStory: 'propose' }).walk(pass);
    expect(player.open[0]?.text).toBe('Next: B Title of B. Continue?');
    startOnly(player, 'C');
    expect([player.stories(), player.asks]).toEqual(['A:done B:ready C:running', []]);
    player.walk(pass);
    expect([player.stories(), player.asks]).toEqual(['A:done B:ready C:done', ['next_item']]);
  });

  it.each([
    ['D', 'no story D here; there are A, B, C'],
    ['B', 'B waits for A'],
  ])('%s is refused, and the draft stays: %s', (key, why) => {
    const player = startOnly(Player.create(serial, { items }), key);
    expect([player.replies, player.run.status]).toEqual([[{ type: 'refused', why }], 'draft']);
  });

  it('is refused when it has started already or another story is running', () => {
    const player = Player.start(serial, { items });
    const refused = (key: string) => startOnly(player, key).replies[0];
    expect(refused('A')).toEqual({ type: 'refused', why: 'A is running already' });
    expect(refused('C')).toMatchObject({ why: 'C can be started once the run asks which story is next' });
  });
});
