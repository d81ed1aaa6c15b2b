import { describe, expect, it } from 'vitest';
import * as build from './builders.js';
import { def, failing, item, loop, Player, pass, workflow } from './builders.js';

const flow = workflow([
  def('bdd', { maxAttempts: 1 }),
  def('impl', { mandatory: true, maxAttempts: 1 }),
  def('verify'),
]);
const stories = workflow([loop('stories', [def('impl', { maxAttempts: 1 }), def('verify')])]);
const two = { items: [item('US-1'), item('US-2')], afterStory: 'start' } as const;

function startOf(player: Player): Player {
  return player.do({ type: 'start', behind: null });
}

describe('a draft', () => {
  it('shows its plan and waits for a person', () => {
    const human = def('review', { kind: 'human' });
    const player = Player.create(workflow([loop('stories', [def('impl'), human]), def('pr')]), {
      ...two,
      propose: true,
    });
    expect(player.run.status).toBe('draft');
    expect(player.open).toMatchObject([{ kind: 'confirm', subject: { type: 'proposal' } }]);
    expect(player.open[0]?.text).toBe(
      'Make it\nStories: US-1, US-2\nWorkflow: test\nSteps: impl → review → pr\nYou decide at: review',
    );
    expect(player.open[0]?.options.map((one) => one.label)).toEqual(['Start', 'Cancel']);
  });

  it('says so when no person will be asked', () => {
    const player = Player.create(flow, { propose: true });
    expect(player.open[0]?.text).toContain('I only ask if something goes wrong.');
  });

  it.each([
    ['its button', (player: Player) => player.answer('start')],
    ['continue', (player: Player) => player.go()],
    ['start', startOf],
  ])('is started by %s, once the checkout is prepared', (_name, start) => {
    const player = start(Player.create(flow, { propose: true }));
    expect(player.replies).toEqual([{ type: 'started' }]);
    expect(player.run).toMatchObject({
      status: 'running',
      startedAt: player.now,
      ops: [{ kind: 'prepare', stash: false }],
    });
    expect(player.asks).toEqual([]);
    expect(player.effects).toContainEqual({ type: 'workspace', op: player.run.ops[0] });
    expect(player.worked().live).toBe('/bdd');
  });

  it('queues behind a live run and starts when asked again', () => {
    const player = Player.create(flow, { propose: true });
    player.do({ type: 'continue', node: null, instruction: null, behind: 'r11' });
    expect(player.replies).toEqual([{ type: 'queued_behind', run: 'r11' }]);
    expect(player.run).toMatchObject({ status: 'draft', approved: true, startedAt: null });
    expect(startOf(player).run.status).toBe('running');
    expect(startOf(player).replies).toEqual([{ type: 'nothing_to_do' }]);
  });

  it('is cancelled by its button', () => {
    const player = Player.create(flow, { propose: true }).answer('cancel');
    expect(player.run).toMatchObject({ status: 'cancelled', endedAt: player.now });
    expect(player.notices.at(-1)).toEqual({ type: 'ended' });
  });

  it('refuses retry, skip and rollback, and has nothing to pause', () => {
    const player = Player.create(flow);
    const untouched = [
      player.do({ type: 'retry', node: 'n1', note: null }).refusal,
      player.do({ type: 'skip', node: 'n1', reason: 'x' }).refusal,
      player.do({ type: 'rollback', node: 'n2' }).refusal,
    ];
    expect(untouched).toEqual(['it has not begun yet', 'it has not begun yet', 'nothing has been done yet']);
    expect(player.do({ type: 'pause' }).replies).toEqual([{ type: 'nothing_to_do' }]);
  });

  it('can be aborted, after a confirmation', () => {
    const player = Player.create(flow).do({ type: 'abort' });
    expect(player.run.status).toBe('draft');
    expect(player.answer('abort').run.status).toBe('cancelled');
  });
});

describe('continue', () => {
  it('reports which step is still running and for how long', () => {
    const player = Player.start(flow);
    expect(player.go().replies).toEqual([{ type: 'still_running', item: '', step: 'bdd', sinceMs: null }]);
    player.do({ type: 'attempt_started', attempt: player.run.live[0]?.attempt ?? '', worker: 'w' });
    player.now += 5_000;
    expect(player.go().replies).toEqual([{ type: 'still_running', item: '', step: 'bdd', sinceMs: 6_000 }]);
    expect(player.run.live).toHaveLength(1);
  });

  it('reports that the checkout is busy while the run waits for it', () => {
    const player = Player.create(flow).do({ type: 'start', behind: null });
    expect(player.go().replies).toEqual([{ type: 'checkout_busy' }]);
    expect(player.worked().live).toBe('/bdd');
  });

  it('shows open cards again without answering them', () => {
    const player = Player.start(workflow([def('look', { kind: 'human' }), def('b')]));
    expect(player.go().replies).toEqual([{ type: 'shown', interactions: player.open }]);
    expect(player.line()).toBe('look:needs_human b:waiting');
  });

  it('withdraws an unconfirmed abort', () => {
    const player = Player.start(flow).do({ type: 'abort' }).go();
    expect(player.asks).toEqual([]);
    expect(player.run.status).toBe('running');
    expect(player.notices).toContainEqual(
      expect.objectContaining({
        type: 'decided',
        interaction: expect.objectContaining({ answer: expect.objectContaining({ option: 'keep' }) }),
      }),
    );
  });

  it('starts the proposed next story', () => {
    const player = Player.start(stories, { ...two, afterStory: 'propose' }).walk(pass, pass);
    expect(player.asks).toEqual(['next_item']);
    player.go();
    expect(player.replies).toEqual([{ type: 'going_on', step: 'US-2' }]);
    expect(player.live).toBe('US-2/impl');
  });

  it('resumes a paused run', () => {
    const player = Player.start(flow).do({ type: 'pause' }).settle();
    expect(player.run).toMatchObject({ status: 'paused', pauseReason: 'user', live: [] });
    expect(player.go().replies).toEqual([{ type: 'going_on', step: null }]);
    expect(player.live).toBe('/impl');
  });

  it('resumes a paused run in which a step still runs', () => {
    const player = Player.start(flow).do({ type: 'pause' }).go();
    expect(player.replies).toEqual([{ type: 'going_on', step: 'bdd' }]);
    expect(player.run).toMatchObject({ status: 'running', held: false });
    expect(player.settle().live).toBe('/impl');
  });

  it('resumes a run paused at an open review and shows the review', () => {
    const player = Player.start(workflow([def('a'), def('look', { kind: 'human' })]))
      .walk(pass)
      .do({ type: 'pause' });
    expect(player.run.pauseReason).toBe('user');
    expect(player.go().replies).toMatchObject([{ type: 'shown', interactions: [{ kind: 'review' }] }]);
    expect(player.run.pauseReason).toBe('decision');
  });

  it('does nothing once the run is over', () => {
    const player = Player.start(workflow([def('a')])).walk(pass);
    expect(player.go().replies).toEqual([{ type: 'nothing_to_do' }]);
    expect(player.run.status).toBe('completed');
  });
});

describe('pause', () => {
  it('starts nothing new and reports what runs, what is done and what is next', () => {
    const player = Player.start(stories, two).walk(pass, pass).do({ type: 'pause' });
    expect(player.replies).toEqual([
      { type: 'paused', running: ['US-2 impl'], done: ['US-1'], next: 'US-2 Title of US-2' },
    ]);
    expect(player.run).toMatchObject({ status: 'paused', pauseReason: 'user' });
    player.settle();
    expect(player.line('US-2')).toBe('impl:passed verify:waiting');
  });

  it('names steps when there are no stories', () => {
    const player = Player.start(flow).walk(pass).do({ type: 'pause' });
    expect(player.replies).toEqual([{ type: 'paused', running: ['impl'], done: ['bdd'], next: 'impl' }]);
  });

  it('names the proposed story as next, and none when nothing is left', () => {
    const proposed = Player.start(stories, { ...two, afterStory: 'propose' })
      .walk(pass, pass)
      .do({ type: 'pause' });
    expect(proposed.replies).toMatchObject([{ next: 'US-2 Title of US-2' }]);
    const ending = Player.start(workflow([def('a')]))
      .settle()
      .do({ type: 'pause' });
    expect(ending.replies).toMatchObject([{ next: null }]);
    const fails = workflow([loop('stories', [def('impl', { maxAttempts: 1, onExhausted: 'fail' })])]);
    const lost = Player.start(fails, { items: [item('US-1')] })
      .settle(failing)
      .do({ type: 'pause' });
    expect(lost.replies).toMatchObject([{ next: null }]);
  });

  it('holds back the retry of a failing attempt until a person continues', () => {
    const player = Player.start(workflow([def('a')]))
      .do({ type: 'pause' })
      .settle(failing);
    expect(player.node('a')).toMatchObject({ state: 'ready', attempt: 2 });
    expect(player.go().live).toBe('/a');
  });
});

describe('a draft in the queue', () => {
  it('is moved, and ends when it is taken out', () => {
    const player = Player.create(flow, { propose: true }).do({ type: 'requeue', place: 3 });
    expect([player.run.status, player.run.place]).toEqual(['draft', 3]);
    player.do({ type: 'dequeue' });
    expect([player.run.status, player.asks, player.replies]).toEqual(['cancelled', [], []]);
  });

  it('is neither moved nor taken out once it has begun', () => {
    const player = Player.start(flow);
    expect(player.do({ type: 'dequeue' }).refusal).toBe('it has begun already; "abort" ends it');
    expect(player.do({ type: 'requeue', place: 3 }).refusal).toBe('it has begun already');
    expect(player.run.status).toBe('running');
  });
});

describe('kill', () => {
  it('cancels the running attempt and leaves a card at its step', () => {
    const player = Player.start(flow).do({ type: 'kill' });
    expect(player.effects).toContainEqual({ type: 'cancel', attempt: 'h1-r12-_-step-001-g1-d1' });
    expect(player.replies).toEqual([{ type: 'killing', count: 1 }]);
    expect(player.settle(build.killed).asks).toEqual(['stuck']);
    expect(player.answer('retry').live).toBe('/bdd');
  });

  it('kills nothing when nothing runs', () => {
    expect(Player.create(flow).do({ type: 'kill' }).replies).toEqual([{ type: 'killing', count: 0 }]);
  });
});

describe('abort', () => {
  it('asks for confirmation, saying what it drops', () => {
    const player = Player.start(stories, two).do({ type: 'abort' });
    expect(player.open).toMatchObject([{ kind: 'confirm', text: 'Abort shop: Make it?\n1 running, 1 story waiting.' }]);
    expect(player.run.status).toBe('running');
    const first = player.open;
    expect(player.do({ type: 'abort' }).replies).toEqual([{ type: 'shown', interactions: first }]);
    player.answer('abort');
    expect(player.replies).toEqual([{ type: 'aborting', dropped: 2 }]);
    expect(player.stories()).toBe('US-1:cancelled US-2:cancelled');
    expect(player.line('US-1')).toBe('impl:cancelled verify:waiting');
    expect(player.line()).toBe('stories:cancelled');
    expect(player.run).toMatchObject({ status: 'cancelled', live: [], held: false });
    expect(player.asks).toEqual([]);
  });

  it('can be cancelled at its confirmation', () => {
    const player = Player.start(flow).do({ type: 'abort' }).answer('keep');
    expect(player.run.status).toBe('running');
    expect(player.settle().live).toBe('/impl');
  });

  it.each([
    ['"Keep going"', (player: Player) => player.answer('keep', null, 'abort')],
    ['"continue"', (player: Player) => player.go()],
    [
      'its expiry',
      (player: Player) => {
        const [card] = player.open;
        expect(player.do({ type: 'remind', interaction: card?.id ?? '' }).ignored).toBe('not due');
        player.now = card?.expiresAt ?? 0;
        return player.do({ type: 'remind', interaction: card?.id ?? '' });
      },
    ],
  ])('starts and commits nothing while it waits for its confirmation, and %s resumes', (_how, resume) => {
    const asked = () => Player.start(workflow([def('a'), def('b')])).do({ type: 'abort' });
    const between = asked().settle(pass);
    expect([between.live, between.line()]).toEqual([null, 'a:passed b:waiting']);
    expect(resume(between).live).toBe('/b');
    const atEnd = Player.start(workflow([def('a')]))
      .do({ type: 'abort' })
      .settle(pass);
    expect(atEnd.run.ops).toEqual([]);
    expect(resume(atEnd).run.ops).toMatchObject([{ kind: 'deliver' }]);
  });

  it('lets the work go on meanwhile in a run of an earlier version', () => {
    const player = Player.start(workflow([def('a'), def('b')]), { rules: 2 }).do({ type: 'abort' });
    expect(player.settle(pass).live).toBe('/b');
  });

  it('does nothing once the run is over', () => {
    const player = Player.start(workflow([def('a')]))
      .walk(pass)
      .do({ type: 'abort' });
    expect(player.replies).toEqual([{ type: 'nothing_to_do' }]);
  });

  it('closes every other open question', () => {
    const player = Player.start(flow).settle(failing).do({ type: 'abort' }).answer('abort', null, 'abort');
    const closed = player.state.interactions.map((one) => [one.subject.type, one.state]);
    expect(closed).toEqual([
      ['stuck', 'superseded'],
      ['abort', 'answered'],
    ]);
  });

  it("cancels the run and all its chains when chosen on a story's card", () => {
    const player = Player.start(stories, two).settle(failing).answer('abort');
    expect(player.line()).toBe('stories:cancelled');
    expect(player.line('US-1')).toBe('impl:cancelled verify:waiting');
    expect(player.run.status).toBe('cancelled');
  });
});

describe('retry', () => {
  it('resets the attempts of a stuck node and passes the note on', () => {
    const player = Player.start(flow).settle(failing).do({ type: 'retry', node: 'n1', note: ' use sqlite ' });
    expect(player.replies).toEqual([{ type: 'retrying', item: '', step: 'bdd' }]);
    expect(player.node('bdd')).toMatchObject({ state: 'queued', attempt: 1, abandons: 0, dispatches: 2 });
    expect(player.node('bdd').live?.notes).toMatchObject([{ kind: 'remark', text: 'use sqlite' }]);
    expect(player.asks).toEqual([]);
  });

  it('passes on the text sent with its button', () => {
    const player = Player.start(flow).settle(failing).answer('retry', 'use sqlite');
    expect(player.node('bdd').live?.notes).toMatchObject([{ text: 'use sqlite' }]);
  });

  it('repeats remarks that a killed attempt could not act on', () => {
    const player = Player.start(flow)
      .settle(failing)
      .answer('retry', 'first')
      .settle(build.killed)
      .answer('retry', 'second');
    expect(player.node('bdd').live?.notes.map((note) => note.text)).toEqual(['first', 'second']);
  });

  it('closes the question that the node had asked', () => {
    const player = Player.start(flow).settle(build.question).do({ type: 'retry', node: 'n1', note: null });
    expect(player.asks).toEqual([]);
    expect(player.notices).toContainEqual(
      expect.objectContaining({ type: 'decided', interaction: expect.objectContaining({ state: 'superseded' }) }),
    );
    expect(player.live).toBe('/bdd');
  });

  it('resumes a paused run', () => {
    const player = Player.start(flow)
      .settle(failing)
      .do({ type: 'pause' })
      .do({ type: 'retry', node: 'n1', note: null });
    expect(player.run.held).toBe(false);
    expect(player.live).toBe('/bdd');
  });

  it.each([
    ['runs', 'n1', 'bdd is queued; it cannot be tried again now'],
    ['waits', 'n2', 'impl is waiting; it cannot be tried again now'],
    ['is not there', 'n9', 'no step n9 here'],
  ])('is refused for a node that %s', (_name, node, why) => {
    const player = Player.start(flow);
    const before = player.state;
    expect(player.do({ type: 'retry', node, note: null }).refusal).toBe(why);
    expect(player.state).toEqual(before);
  });

  it('is refused for a human node and for a loop', () => {
    const human = Player.start(workflow([def('look', { kind: 'human' })]));
    expect(human.do({ type: 'retry', node: 'n1', note: null }).refusal).toBe(
      'there is nothing to retry: look waits for a person',
    );
    const failed = Player.start(
      workflow([loop('stories', [def('a', { maxAttempts: 1, onExhausted: 'fail' })])]),
    ).settle(failing);
    expect(failed.do({ type: 'retry', node: 'n1', note: null }).refusal).toBe(
      'there is nothing to retry: stories starts its steps itself',
    );
  });

  it('is refused while the checkout is busy, in a story that is done, and once the run is over', () => {
    const player = Player.start(stories, two).walk(pass).settle(pass);
    expect(player.do({ type: 'retry', chain: 'US-1', node: 'n2', note: null }).refusal).toContain('being worked on');
    player.worked();
    expect(player.do({ type: 'retry', chain: 'US-1', node: 'n2', note: null }).refusal).toBe('US-1 is done');
    player.walk(pass, pass);
    expect(player.run.status).toBe('completed');
    expect(player.do({ type: 'retry', chain: 'US-1', node: 'n2', note: null }).refusal).toBe('the run is over');
  });
});

describe('skip', () => {
  it('skips a stuck node with its reason and actor, and continues', () => {
    const player = Player.start(flow).settle(failing).do({ type: 'skip', node: 'n1', reason: 'known' });
    expect(player.node('bdd')).toMatchObject({
      state: 'skipped',
      skipReason: { type: 'person', reason: 'known', by: 'ada' },
    });
    expect(player.replies).toEqual([{ type: 'skipped', item: '', step: 'bdd' }]);
    expect(player.live).toBe('/impl');
  });

  it.each([
    ['known flaw', 'known flaw'],
    [null, 'skipped by a person'],
    [' ', 'skipped by a person'],
  ])('stores the text %s sent with its button', (text, reason) => {
    const { skipReason } = Player.start(flow).settle(failing).answer('skip', text).node('bdd');
    expect(skipReason).toEqual({ type: 'person', reason, by: 'ada' });
  });

  it('of a node that is not due yet starts nothing and keeps the pause', () => {
    const player = Player.start(flow).do({ type: 'pause' }).do({ type: 'skip', node: 'n3', reason: 'x' });
    expect(player.line()).toBe('bdd:queued impl:waiting verify:skipped');
    expect(player.run.held).toBe(true);
  });

  it('of a question continues without its answer', () => {
    expect(Player.start(flow).settle(build.question).answer('skip').live).toBe('/impl');
  });

  it('of a review continues without it', () => {
    const player = Player.start(workflow([def('look', { kind: 'human' }), def('b')]));
    player.do({ type: 'skip', node: 'n1', reason: 'trust' });
    expect(player.answer('skip', null, 'skip_approval').live).toBe('/b');
    expect(player.asks).toEqual([]);
  });

  it.each([
    ['n1', 'bdd is passed; it cannot be skipped now'],
    ['n2', 'impl may not be skipped'],
  ])('is refused for %s', (node, why) => {
    const player = Player.start(flow).walk(pass).settle(failing);
    expect(player.do({ type: 'skip', node, reason: 'x' }).refusal).toBe(why);
    expect(player.asks).toEqual(['stuck']);
  });

  it('is refused for a loop', () => {
    const player = Player.start(workflow([def('a'), loop('stories', [def('b')])]));
    expect(player.do({ type: 'skip', node: 'n2', reason: 'x' }).refusal).toBe('stories may not be skipped');
  });

  it("of a mandatory node's card aborts the run, after a confirmation", () => {
    const player = Player.start(flow).walk(pass).settle(failing).answer('skip');
    expect(player.open).toMatchObject([{ kind: 'confirm', text: 'impl may not be skipped. Give up shop instead?' }]);
    player.answer('no');
    expect(player.open).toMatchObject([{ subject: { type: 'stuck' }, text: "shop's impl waits for you." }]);
    player.answer('skip').answer('yes');
    expect(player.run.status).toBe('cancelled');
  });

  it("of a mandatory node's question asks the question again when not confirmed", () => {
    const player = Player.start(flow).walk(pass).settle(build.question).answer('skip').answer('no');
    expect(player.open).toMatchObject([{ subject: { type: 'question' }, text: 'Which colour?' }]);
    expect(player.answer('abort').run.status).toBe('cancelled');
  });

  it("of a story's mandatory node gives up that story alone", () => {
    const flow = workflow([loop('stories', [def('impl', { mandatory: true, maxAttempts: 1 })])]);
    const player = Player.start(flow, two).settle(failing).answer('skip').answer('yes');
    expect(player.stories()).toBe('US-1:cancelled US-2:running');
    expect(player.line('US-1')).toBe('impl:cancelled');
    expect(player.notices).toContainEqual({ type: 'told', text: 'US-1 is given up (ada).' });
  });

  it("of a killed story's mandatory node gives up that story", () => {
    const flow = workflow([loop('stories', [def('impl', { mandatory: true })])]);
    const player = Player.start(flow, two).settle(build.killed).answer('skip').answer('yes');
    expect(player.stories()).toBe('US-1:cancelled US-2:running');
  });
});

describe('an answer', () => {
  const reviewed = workflow([def('look', { kind: 'human' }), def('b')]);
  const press = (interaction: string, option: string) =>
    ({ type: 'answered', interaction, option, text: 'x', behind: null }) as const;

  it('counts once', () => {
    const player = Player.start(reviewed).do(press('i12-1', 'approve'));
    const before = player.state;
    expect(player.do(press('i12-1', 'approve')).ignored).toBe('not open');
    expect(player.state).toBe(before);
  });

  it('stores who gave it, and when', () => {
    const player = Player.start(reviewed).do(press('i12-1', 'approve'));
    expect(player.state.interactions[0]).toMatchObject({
      state: 'answered',
      answer: { option: 'approve', text: 'x', by: 'ada', at: player.now },
    });
    expect(player.go().state.interactions).toEqual([]);
  });

  it.each([
    ['a question that was never asked', press('i12-9', 'approve'), 'not open'],
    ['an option that was not offered', press('i12-1', 'frobnicate'), 'no option frobnicate'],
    ['a reason where no review is', press('i12-1', 'to-n1'), 'no option to-n1'],
  ])('to %s changes nothing', (_name, event, why) => {
    expect(Player.start(reviewed).do(event).ignored).toBe(why);
  });

  it('for another chain, or for an unknown one, changes nothing', () => {
    const player = Player.start(workflow([loop('stories', [def('look', { kind: 'human' })])]), {
      items: [item('US-1')],
    });
    expect(player.do(press('i12-1', 'approve')).ignored).toBe('another chain');
    expect(player.do({ ...press('i12-1', 'approve'), chain: 'US-9' }).ignored).toBe('no chain US-9');
    expect(player.world.chains.has('US-9')).toBe(false);
  });
});

describe('an inconsistent open question', () => {
  const broken = (change: object) => {
    const player = Player.start(workflow([def('look', { kind: 'human' })]));
    const interactions = player.open.map((one) => ({ ...one, ...change }));
    player.world = { ...player.world, state: { ...player.state, interactions } };
    return () => player.answer('approve');
  };

  it('throws when it belongs to no node', () => {
    expect(broken({ node: null })).toThrow('i12-1 is about no node');
    expect(broken({ node: 'n9' })).toThrow('i12-1 is about no node');
  });

  it('throws when its subject is unknown', () => {
    expect(broken({ subject: { type: 'bogus' } })).toThrow('unreachable');
  });
});
