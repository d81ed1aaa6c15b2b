import { describe, expect, it } from 'vitest';
import { cancelRun } from '../../src/engine/flow/cancel.js';
import { endChain } from '../../src/engine/flow/finish.js';
import { dueItems, markBlocked } from '../../src/engine/flow/loops/loop.js';
import { reopenAll } from '../../src/engine/flow/loops/reopen.js';
import { answer } from '../../src/engine/handlers/answer-interaction.js';
import { type Item, type NodeDef, readItem } from '../../src/engine/index.js';
import { DecisionDraft } from '../../src/engine/model/draft/draft.js';
import { anItem } from '../store/values.js';
import { def, failing, item, loop, Player, pass, policy, said, workflow } from './builders.js';

const one = { maxAttempts: 1, onExhausted: 'fail' } as const;
const body = [def('impl', one)];
const failRun = workflow([loop('stories', body), def('ship')]);
const goOn = workflow([loop('stories', body), def('ship')], policy({ onItemFailed: 'continue' }));

function items(...keys: readonly string[]) {
  return { items: keys.map((key) => item(key)), afterStory: 'start' as const };
}

describe('stories', () => {
  it("run one after another in chains of their own, then the run's chain continues", () => {
    const player = Player.start(failRun, items('US-1', 'US-2'));
    expect([player.stories(), player.line('US-1'), player.live]).toEqual([
      'US-1:running US-2:ready',
      'impl:queued',
      'US-1/impl',
    ]);
    player.settle();
    expect(player.run.ops[0]).toMatchObject({
      kind: 'deliver',
      chain: 'US-1',
      message: 'US-1: Title of US-1\n\nAbout US-1',
    });
    expect(player.stories()).toBe('US-1:running US-2:ready');
    player.worked({ ok: true, note: null, diffStat: null, commit: null, stash: null });
    expect(player.notices).toContainEqual({ type: 'item_done', item: 'US-1', note: 'nothing to commit' });
    expect(player.live).toBe('US-2/impl');
    expect(player.walk(pass).live).toBe('/ship');
    expect(player.line()).toBe('stories:passed ship:queued');
    expect(player.walk(pass).run.status).toBe('completed');
  });

  it('are done only after their last step and their delivery', () => {
    const player = Player.start(failRun, items('US-1')).settle();
    expect(player.stories()).toBe('US-1:running');
    expect(player.worked().state.items[0]).toMatchObject({ status: 'done', endedAt: player.now });
  });

  it('deliver nothing when no step did any work', () => {
    const flow = workflow([loop('stories', [def('look', { kind: 'human' })])]);
    const player = Player.start(flow, items('US-1')).answer('approve');
    expect(player.run).toMatchObject({ status: 'completed', ops: [] });
  });

  it('raise the dispatch limit with their number', () => {
    const many = Array.from({ length: 10 }, (_, index) => `US-${index}`);
    expect(Player.start(failRun, items(...many)).run.dispatchLimit).toBe(600);
  });

  it('are dropped when the workflow has no loop for them', () => {
    expect(Player.create(workflow([def('a')]), items('US-1')).state.items).toEqual([]);
  });
});

describe('a task as a story', () => {
  it.each([
    ['US-007 order history', 'US-007', 'order history'],
    ['us-007: order history\nwith paging', 'US-007', 'order history'],
    ['US-007', 'US-007', 'US-007'],
    ['Make it', 'TASK-12', 'Make it'],
    ['US-7x order', 'TASK-12', 'US-7x order'],
  ])('"%s" gets the key %s when no story is given', (task, key, title) => {
    const player = Player.start(failRun, { task });
    expect(player.state.items).toMatchObject([{ key, title, status: 'running' }]);
  });

  it('keeps all its text after the key as the description', () => {
    expect(readItem(' US-7 — history\nwith paging ')).toEqual({
      key: 'US-7',
      title: 'history',
      description: 'history\nwith paging',
      criteria: [],
      dependsOn: [],
    });
    expect(readItem('history')).toBeNull();
  });
});

describe('the next story', () => {
  const proposed = { ...items('US-1', 'US-2', 'US-3'), afterStory: 'propose' } as const;

  it('is proposed after a finished one and starts once confirmed', () => {
    const player = Player.start(failRun, proposed).walk(pass);
    expect(player.open).toMatchObject([{ kind: 'confirm', text: 'Next: US-2 Title of US-2. Continue?' }]);
    expect(player.open[0]?.options.map((option) => option.label)).toEqual(['Start US-2', 'Finish here']);
    expect(player.run).toMatchObject({ status: 'paused', pauseReason: 'decision' });
    expect(player.answer('go').live).toBe('US-2/impl');
  });

  it('is proposed only once', () => {
    const player = Player.start(failRun, proposed).walk(pass).do({ type: 'budget', addUsd: 5 });
    expect(player.asks).toEqual(['next_item']);
  });

  it('can be declined, and the run continues without the remaining stories', () => {
    const player = Player.start(failRun, proposed).walk(pass).answer('finish');
    expect(player.stories()).toBe('US-1:done US-2:cancelled US-3:cancelled');
    expect(player.walk(pass).run.status).toBe('completed');
  });

  it('is the one after a proposed story that was given up', () => {
    const player = Player.start(failRun, proposed).walk(pass).do({ type: 'skip_item', item: 'US-2', reason: 'x' });
    expect(player.replies).toContainEqual({ type: 'skipped', item: 'US-2', step: '' });
    expect(player.open[0]?.text).toBe('Next: US-3 Title of US-3. Continue?');
  });

  it.each<[string, Partial<NodeDef>]>([
    ['declares the output NEXT_STORY', { outputs: ['NEXT_STORY'] }],
    ['may name one without declaring it', { mayNameStory: true }],
  ])('can be named once by the report of a step that %s, and is then proposed', (_, patch) => {
    const player = Player.start(workflow([loop('stories', [def('wrap', patch)])]), {
      ...items('US-1'),
      afterStory: 'propose',
    });
    player.walk(said({ STATUS: 'pass', NEXT_STORY: 'US-6: Order history' }));
    expect(player.state.items[1]).toMatchObject({ key: 'US-6', title: 'Order history', status: 'ready', order: 1 });
    expect(player.open[0]?.text).toBe('Next: US-6 Order history. Continue?');
    player.answer('go').walk(said({ STATUS: 'pass', NEXT_STORY: 'US-1 again' }));
    expect(player.stories()).toBe('US-1:done US-6:done');
  });

  it.each<[string, Partial<NodeDef>]>([
    ['impl', {}],
    ['update-memory', {}],
    ['update-memory', { outputs: ['LOG'], mayNameStory: true }],
  ])('is not taken from the report of %s, which may not name one (%j)', (id, patch) => {
    const player = Player.start(workflow([loop('stories', [def(id, patch)])]), items('US-1'));
    player.walk(said({ STATUS: 'pass', NEXT_STORY: 'US-6: Order history' }));
    expect(player.stories()).toBe('US-1:done');
  });

  it('leaves the dispatch limit unchanged when an agent names it', () => {
    const flow = workflow([loop('stories', [def('wrap', { outputs: ['NEXT_STORY'] })])], {
      limits: { ...workflow([]).limits, dispatches: 60, insertions: 60 },
    });
    const player = Player.start(flow, items('US-1'));
    for (let story = 2; story < 10; story++) player.walk(said({ STATUS: 'pass', NEXT_STORY: `US-${story} More` }));
    expect([player.state.items.length, player.run.dispatchLimit, player.run.insertionLimit]).toEqual([9, 60, 60]);
  });

  it.each(['none', '', 'whatever comes'])('is not added when the report says "%s"', (text) => {
    const flow = workflow([loop('stories', [def('wrap', { outputs: ['NEXT_STORY'] })])]);
    const player = Player.start(flow, items('US-1')).walk(said({ STATUS: 'pass', NEXT_STORY: text }));
    expect(player.stories()).toBe('US-1:done');
  });

  it('is ignored when a step outside a story names it', () => {
    const player = Player.start(workflow([def('a'), def('b')])).settle(said({ STATUS: 'pass', NEXT_STORY: 'US-6 x' }));
    expect(player.state.items).toEqual([]);
  });

  it('is added once however often it is named, and never after the loop is over', () => {
    const player = Player.start(failRun, items('US-1'));
    const named = { type: 'next_named', item: item('US-6') } as const;
    player.do(named).do(named);
    expect(player.stories()).toBe('US-1:running US-6:ready');
    player.walk(pass, pass).do({ type: 'next_named', item: item('US-7') });
    expect(player.stories()).toBe('US-1:done US-6:done');
  });
});

describe('story dependencies', () => {
  it('hold a story until the stories it depends on are done', () => {
    const player = Player.start(failRun, { items: [item('US-1', ['US-2']), item('US-2')], afterStory: 'start' });
    expect(player.live).toBe('US-2/impl');
    expect(player.walk(pass).live).toBe('US-1/impl');
  });

  it('block all stories behind a failed one, transitively, and unblock them on retry', () => {
    const player = Player.start(goOn, {
      items: [item('A'), item('B'), item('C', ['A']), item('D', ['C'])],
      afterStory: 'start',
    }).settle(failing);
    expect(player.stories()).toBe('A:failed B:running C:blocked D:blocked');
    player.walk(pass);
    expect(player.open).toMatchObject([
      {
        kind: 'escalation',
        text: 'Nothing is left to do: 1 done, 1 failed (A), 2 blocked (C, D).\nA failed at impl (1 attempt)\nC waits for A\nD waits for C',
      },
    ]);
    expect(player.run).toMatchObject({ status: 'paused', pauseReason: 'failure' });
    expect(player.open[0]?.options.map((option) => option.id)).toEqual([
      'retry-A',
      'note-A',
      'skip-A',
      'skip-C',
      'skip-D',
      'abort',
    ]);
    player.answer('retry-A');
    expect(player.live).toBe('A/impl');
    expect(player.stories()).toBe('A:running B:done C:ready D:ready');
    player.walk(pass, pass, pass);
    expect(player.stories()).toBe('A:done B:done C:done D:done');
  });

  it('on an unknown story end in a card', () => {
    const player = Player.start(failRun, { items: [item('A', ['Z'])] });
    expect(player.open[0]?.options.map((option) => option.id)).toEqual(['skip-A', 'abort']);
    expect(player.answer('skip-A').live).toBe('/ship');
  });
});

describe('a failed story', () => {
  it('fails the run when the workflow says so, with a card at its node', () => {
    const player = Player.start(failRun, items('US-1', 'US-2')).settle(failing);
    expect(player.run.status).toBe('failed');
    expect(player.line()).toBe('stories:failed ship:waiting');
    expect(player.open).toMatchObject([{ subject: { type: 'stuck' }, chain: 'US-1' }]);
    expect(player.notices).toContainEqual({ type: 'item_failed', item: 'US-1' });
  });

  it('is revived with its run and loop when retried', () => {
    const player = Player.start(failRun, items('US-1', 'US-2')).settle(failing).answer('retry');
    expect([player.run.status, player.stories(), player.line(), player.live]).toEqual([
      'running',
      'US-1:running US-2:ready',
      'stories:running ship:waiting',
      'US-1/impl',
    ]);
    expect(player.walk(pass, pass, pass).run.status).toBe('completed');
  });

  it('is revived when its failed node is skipped', () => {
    const player = Player.start(failRun, items('US-1')).settle(failing).answer('skip').worked();
    expect(player.stories()).toBe('US-1:done');
  });

  it('can be given up by key, and the run continues', () => {
    const player = Player.start(failRun, items('US-1', 'US-2')).settle(failing);
    player.do({ type: 'skip_item', item: 'US-1', reason: 'x' });
    expect([player.run.status, player.stories(), player.live]).toEqual([
      'running',
      'US-1:cancelled US-2:running',
      'US-2/impl',
    ]);
    expect(player.asks).toEqual([]);
  });

  it('keeps its run failed when another story is given up', () => {
    const player = Player.start(failRun, items('US-1', 'US-2')).settle(failing);
    player.do({ type: 'skip_item', item: 'US-2', reason: 'x' });
    expect(player.run.status).toBe('failed');
    expect(player.asks).toEqual(['stuck']);
  });

  it('lets the others continue when the workflow says so, and asks only after them', () => {
    const player = Player.start(goOn, items('US-1', 'US-2')).settle(failing);
    expect([player.live, player.asks]).toEqual(['US-2/impl', []]);
    player.walk(pass);
    expect(player.asks).toEqual(['items_failed']);
    expect(player.go().asks).toEqual(['items_failed']);
    expect(player.answer('skip-US-1').live).toBe('/ship');
  });

  it('is retried with a note, which its next try reads', () => {
    const player = Player.start(goOn, items('US-1', 'US-2')).settle(failing).walk(pass);
    expect(player.answer('note-US-1', '  ').replies).toMatchObject([{ type: 'needs_text' }]);
    player.answer('note-US-1', 'use the staging database');
    expect(player.live).toBe('US-1/impl');
    expect(player.node('impl', 'US-1').live?.notes).toMatchObject([{ text: 'use the staging database', by: 'ada' }]);
  });

  it('waits for its turn when retried beside a running one', () => {
    const player = Player.start(goOn, items('US-1', 'US-2')).settle(failing);
    player.do({ type: 'retry', chain: 'US-1', node: 'n3', note: 'again' });
    expect(player.stories()).toBe('US-1:ready US-2:running');
    expect(player.run.live).toHaveLength(1);
    expect(player.do({ type: 'retry', chain: 'US-1', node: 'n3', note: null }).refusal).toBe('US-1 is ready');
    player.walk(pass);
    expect(player.live).toBe('US-1/impl');
    expect(player.node('impl', 'US-1').live?.notes).toMatchObject([{ text: 'again' }]);
  });

  it('lifts the pause when retried, so that the running one continues', () => {
    const flow = workflow([loop('stories', [def('a', one), def('b')])], policy({ onItemFailed: 'continue' }));
    const player = Player.start(flow, items('US-1', 'US-2')).settle(failing).do({ type: 'pause' }).settle();
    player.do({ type: 'retry', chain: 'US-1', node: 'n2', note: null });
    expect([player.run.held, player.live, player.stories()]).toEqual([false, 'US-2/b', 'US-1:ready US-2:running']);
  });

  it('closes its own card and the proposal of the next story when retried by node', () => {
    const failed = Player.start(goOn, items('US-1', 'US-2')).settle(failing).walk(pass);
    failed.do({ type: 'retry', chain: 'US-1', node: 'n3', note: null });
    expect([failed.asks, failed.live]).toEqual([[], 'US-1/impl']);
    const offered = Player.start(goOn, { ...items('US-1', 'US-2', 'US-3'), afterStory: 'propose' });
    offered.walk(pass).answer('go').settle(failing);
    expect(offered.asks).toEqual(['next_item']);
    offered.do({ type: 'retry', chain: 'US-2', node: 'n4', note: null });
    expect([offered.asks, offered.live]).toEqual([[], 'US-2/impl']);
    expect(offered.walk(pass).open[0]?.text).toBe('Next: US-3 Title of US-3. Continue?');
  });

  it('the next story starts from its proposal card, even in a paused run', () => {
    const offered = Player.start(goOn, { ...items('US-1', 'US-2'), afterStory: 'propose' }).walk(pass);
    expect([offered.do({ type: 'pause' }).run.held, offered.live]).toEqual([true, null]);
    offered.answer('go', null, 'next_item');
    expect([offered.run.held, offered.live]).toEqual([false, 'US-2/impl']);
  });

  it('lets a person abort the run from its card', () => {
    expect(Player.start(goOn, items('US-1')).settle(failing).answer('abort').run.status).toBe('cancelled');
  });
});

describe('giving up a story', () => {
  it.each([
    ['US-9', 'US-9 is unknown'],
    ['US-1', 'US-1 is done'],
    ['US-2', 'US-2 is still running; stop it first'],
  ])('is refused for %s', (key, why) => {
    const player = Player.start(failRun, items('US-1', 'US-2')).walk(pass);
    expect(player.do({ type: 'skip_item', item: key, reason: 'x' }).refusal).toBe(why);
  });

  it("works from the story's own chain and closes its open question", () => {
    const flow = workflow([loop('stories', [def('look', { kind: 'human' })])]);
    const player = Player.start(flow, items('US-1', 'US-2'));
    player.do({ type: 'skip_item', chain: 'US-1', item: 'US-1', reason: 'x' });
    expect(player.line('US-1')).toBe('look:cancelled');
    expect(player.stories()).toBe('US-1:cancelled US-2:running');
    player.do({ type: 'skip_item', item: 'US-2', reason: 'x' });
    expect(player.line('US-2')).toBe('look:cancelled');
    expect(player.run.status).toBe('completed');
  });

  it('works before the run has started', () => {
    const player = Player.create(failRun, items('US-1', 'US-2')).do({ type: 'skip_item', item: 'US-1', reason: 'x' });
    player.do({ type: 'start', behind: null }).worked();
    expect(player.live).toBe('US-2/impl');
  });
});

describe('an event that a run raises for itself', () => {
  it('changes nothing when it no longer applies', () => {
    const player = Player.start(failRun, items('US-1', 'US-2')).walk(pass);
    const before = [player.stories(), player.line(), player.line('US-1'), player.live];
    player.do({ type: 'item_opened', chain: 'US-1' });
    player.do({ type: 'item_closed', item: 'US-9' });
    player.do({ type: 'item_reopened', item: 'US-9' });
    player.do({ type: 'chain_resumed', chain: 'US-1', retryFailed: true });
    player.do({ type: 'chain_cancelled', chain: 'US-1', reason: 'x' });
    expect([player.stories(), player.line(), player.line('US-1'), player.live]).toEqual(before);
  });

  it('revives the run when its story is reopened', () => {
    const player = Player.start(failRun, items('US-1')).settle(failing);
    expect(player.do({ type: 'item_reopened', item: 'US-1' }).run.status).toBe('paused');
    expect(player.line()).toBe('stories:running ship:waiting');
  });
});

describe('the stories that are due', () => {
  it('are the ready ones whose dependencies are all done', () => {
    const stories = [
      anItem('a', 0, { status: 'done' }),
      anItem('b', 1, { status: 'failed' }),
      anItem('c', 2, { dependsOn: ['a'] }),
      anItem('d', 3, { dependsOn: ['a', 'b'] }),
      anItem('e', 4, { dependsOn: ['elsewhere'] }),
      anItem('f', 5, { status: 'running' }),
      anItem('g', 6),
    ];
    expect(dueItems(stories).map(({ key }) => key)).toEqual(['c', 'g']);
  });

  it('are found in linear time for 2,000 chained stories', () => {
    const row = Array.from({ length: 2_000 }, (_, at) =>
      anItem(`US-${at}`, at, {
        status: at < 1_000 ? 'done' : 'ready',
        dependsOn: at === 0 ? [] : [`US-${at - 1}`],
      }),
    );
    const { stories, looks } = counted(row);
    expect(dueItems(stories).map(({ key }) => key)).toEqual(['US-1000']);
    expect(looks()).toBeLessThan(5 * stories.length);
  });
});

it('the stories behind a failed one are blocked in linear time, in any order', () => {
  const row = Array.from({ length: 1_000 }, (_, at) =>
    anItem(`US-${at}`, at, at === 999 ? { status: 'failed' } : { dependsOn: [`US-${at + 1}`, 'US-999'] }),
  );
  for (const listed of [row, row.toReversed()]) {
    const { stories, looks } = counted(listed);
    const tx = new DecisionDraft({ ...Player.start(failRun, items('US-1')).state, items: stories }, 0);
    markBlocked(tx, { ...Player.start(failRun, items('US-1')).node('stories'), id: 'stories' });
    expect(looks()).toBeLessThan(50 * stories.length);
    expect(tx.items.filter(({ status }) => status === 'blocked')).toHaveLength(999);
  }
});

const finish = { option: 'finish', text: null, by: 'ada', behind: null };

it.each<[string, Item['status'], (tx: DecisionDraft, player: Player) => void]>([
  ['cancels', 'ready', (tx) => cancelRun(tx, 'x')],
  ['finishes over', 'ready', (tx) => endChain(tx, null)],
  ['finishes before', 'ready', (tx, { open }) => void answer(tx, open[0]?.id ?? '', finish)],
  ['reopens', 'done', (tx, player) => reopenAll(tx, { ...player.node('stories'), generation: 2 })],
])('a run %s its stories in linear time', (_what, status, act) => {
  const player = Player.start(failRun, { items: [item('US-1'), item('US-2')], afterStory: 'propose' }).walk(pass);
  const row = Array.from({ length: 1_000 }, (_, at) =>
    anItem(`US-${at}`, at, { status, loop: player.node('stories').id, startedAt: 1 }),
  );
  const { stories, looks } = counted(row);
  const tx = new DecisionDraft({ ...player.state, chain: player.stateOf('').chain, items: stories }, 0);
  act(tx, player);
  expect(looks()).toBeLessThan(100 * stories.length);
  expect(tx.items.filter((one) => one.status === status)).toEqual([]);
});

/** The same stories, with a count of how often anything of them is read. */
function counted(list: readonly Item[]) {
  let count = 0;
  const handler: ProxyHandler<Item> = {
    get(target, name, receiver) {
      count += 1;
      return Reflect.get(target, name, receiver);
    },
  };
  return { stories: list.map((one) => new Proxy(one, handler)), looks: () => count };
}
