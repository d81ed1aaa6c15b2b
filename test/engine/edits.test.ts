// A step that begins anew: because it asked for that, or because the last one put work before itself.
import { describe, expect, it } from 'vitest';
import { renderPrompt } from '../../src/engine/index.js';
import { crash, def, envelope, failing, loop, Player, pass, policy, timeout, workflow } from './builders.js';
import {
  addAfter,
  describeAnew,
  edited,
  entries,
  noted,
  oneStory,
  ralph,
  rest,
  restart,
  skip,
  step,
  workOn,
  works,
} from './chains.js';

const flow = workflow([
  loop('stories', [step('plan'), step('code'), step('check', { mandatory: true, pinLast: true })]),
]);

function at(number: number, chosen = flow): Player {
  const player = Player.start(chosen, oneStory);
  for (let done = 1; done < number; done++) player.settle(pass);
  return player;
}

describe('a restart of a step', () => {
  it("rolls back the step's work, keeps it as a file, and runs the step with a new description", () => {
    const player = at(2).settle(edited(restart('step-002', 'Only the parser')));
    expect(player.node('code', 'A')).toMatchObject({
      state: 'ready',
      restarts: 1,
      description: 'Only the parser',
      last: { outcome: 'failing', reason: 'restart', summary: 'Begun anew: a dead end' },
    });
    expect(player.run.ops).toMatchObject([{ kind: 'rollback', chain: 'A', keepAs: 'restarts/A-step-002-1.diff' }]);
    expect(player.notices).toContainEqual({
      type: 'settled',
      node: player.node('code', 'A').id,
      outcome: 'failing',
      leadsTo: 'retry',
    });
    expect(player.worked().live).toBe('A/code');
    const { text } = renderPrompt(player.stateOf('A'), player.node('code', 'A').id);
    expect(text).toContain('## This step\nOnly the parser');
    expect(text).toContain('(restart)');
  });

  it('is recorded in the history with the old and the new description', () => {
    const player = at(2).settle(edited(restart('step-002')));
    expect(entries(player, 'step_restarted')).toMatchObject([
      { details: { reason: 'a dead end', old: 'About code', new: 'Another way' } },
    ]);
    player.worked().settle(edited(restart('step-002', 'A third way')));
    expect(entries(player, 'step_restarted')).toMatchObject([{ details: { old: 'Another way', new: 'A third way' } }]);
    expect(entries(player, 'workflow_edit')).toMatchObject([
      { details: { operation: 'restart', old_description: 'Another way', new_description: 'A third way' } },
    ]);
  });

  it('costs no attempt, even when the step reports failing', () => {
    const player = at(2).settle({ ...failing, edits: { ok: true, ops: [restart('step-002')] } });
    expect(player.node('code', 'A')).toMatchObject({ state: 'ready', attempt: 1, restarts: 1 });
  });

  it('is applied after the other operations of its file', () => {
    const player = at(1).settle(edited(restart('step-001'), addAfter('step-001', 'code'), describeAnew('step-002')));
    expect(rest(player, 'A')).toBe('plan:ready code:waiting code:waiting check:waiting');
    expect(entries(player, 'workflow_edit').map((one) => one.details['operation'])).toEqual([
      'add_after',
      'edit_description',
      'restart',
    ]);
  });

  it('is granted three times; the fourth fails the step and its story', () => {
    const player = at(2);
    for (let turn = 0; turn < 3; turn++) player.settle(edited(restart('step-002'))).worked();
    player.settle(edited(skip('step-001'), restart('step-002')));
    expect(player.node('code', 'A').last?.reason).not.toBe('restart_limit');
    expect(player.node('code', 'A').state).toBe('passed');
    const other = at(2);
    for (let turn = 0; turn < 3; turn++) other.settle(edited(restart('step-002'))).worked();
    other.settle(edited(addAfter('step-002', 'code'), restart('step-002')));
    expect(other.node('code', 'A')).toMatchObject({
      state: 'failed',
      restarts: 3,
      last: {
        outcome: 'failing',
        reason: 'restart_limit',
        summary: expect.stringContaining('was restarted 3 times already'),
      },
    });
    expect(other.nodes('A')).toHaveLength(3);
    expect(other.stories()).toBe('A:failed');
    expect(other.world.chains.get('A')?.scratch).toContain('rejected: operation 2 (restart)');
  });

  it('beyond its limit asks a person when the workflow says so, even with tries left', () => {
    const one = step('code', {
      maxRestarts: 0,
      maxAttempts: 3,
      onExhausted: 'ask',
      onFail: { restart_limit: { type: 'next' } },
    });
    const player = Player.start(workflow([one])).settle(edited(restart('step-001')));
    expect(player.node('code').state).toBe('needs_human');
    expect(player.open[0]?.text).toContain('shop stuck at code (restart_limit)');
  });
});

describe('the last step', () => {
  it('runs again after work that it adds before itself, at no cost', () => {
    const player = at(3).settle(edited(addAfter('step-002', 'code')));
    expect(player.run.ops).toEqual([]);
    expect(rest(player, 'A')).toBe('code:queued check:waiting');
    expect(player.node('check', 'A')).toMatchObject({ restarts: 0, attempt: 1, last: { reason: 'restart' } });
    player.settle();
    expect(player.live).toBe('A/check');
    player.settle().worked();
    expect(player.stories()).toBe('A:done');
  });

  it('does not run again when its edits file is empty', () => {
    const player = at(3).settle(edited());
    expect(player.node('check', 'A').state).toBe('passed');
  });

  it.each([
    ['describes a step before it', describeAnew('step-002')],
    ['describes itself', describeAnew('step-003')],
    ['skips a step before it', skip('step-002')],
    ['skips itself', skip('step-003')],
  ])('does not run again when it only %s, which is refused', (_what, op) => {
    const player = at(3).settle(edited(op));
    expect([player.node('check', 'A').state, player.nodes('A').length]).toEqual(['passed', 3]);
    expect(player.node('check', 'A')).toMatchObject({ restarts: 0, attempt: 1, last: { outcome: 'pass' } });
    expect(player.world.chains.get('A')?.scratch).toContain(`rejected: operation 1 (${op.operation})`);
  });

  it('waits for another go when its turn comes again at level semi', () => {
    const player = Player.start(flow, { ...oneStory, level: 'semi' });
    player
      .settle()
      .go()
      .settle()
      .go()
      .settle(edited(addAfter('step-002', 'code')))
      .go()
      .settle();
    expect(player.notices).toContainEqual({ type: 'waits_for_go', item: 'A', step: 'check' });
  });
});

describe('a story whose chain is a list of steps', () => {
  it('labels its ten steps step-001 to step-010', () => {
    const labels = Player.start(ralph, oneStory)
      .nodes('A')
      .map((one) => one.label);
    expect([labels[0], labels[9], labels.length]).toEqual(['step-001', 'step-010', 10]);
  });

  it('warns of a step without a SUMMARY, and takes a SUMMARY without a STATUS', () => {
    const body = [step('plan'), step('code'), def('check', { kind: 'check' })];
    const player = Player.start(workflow([loop('stories', body)]), oneStory);
    player
      .settle({ ...noted, output: { ...noted.output, keys: {} } })
      .settle(pass)
      .settle(envelope());
    const lasts = player.nodes('A').map((node) => [node.last?.summary, node.last?.warnings]);
    expect(lasts).toEqual([
      ['Looked at it', []],
      [null, ['it left no SUMMARY, so the steps after it know nothing of it']],
      ['Not checked: no command is set.', []],
    ]);
    const plain = Player.start(workflow([loop('stories', [def('code')])]), oneStory).settle(pass);
    expect(plain.node('code', 'A').last?.warnings).toEqual([]);
  });

  it('fails with its failed step and notes that in the shared scratch text', () => {
    const player = at(2).settle(failing);
    expect(player.node('code', 'A').state).toBe('failed');
    expect(player.stories()).toBe('A:failed');
    expect(player.run.scratch).toBe('A failed at code (1 attempt)');
  });

  it('fails when its step times out and is cancelled', () => {
    const cut = { onTimeout: 'cancel_item', rollback: true } as const;
    const body = [step('code', cut)];
    const player = Player.start(workflow([loop('stories', body)]), oneStory).settle(timeout);
    expect(player.node('code', 'A')).toMatchObject({ state: 'cancelled', last: { outcome: 'timeout' } });
    expect([player.stories(), player.run.status]).toEqual(['A:failed', 'running']);
    expect(player.open).toMatchObject([
      { subject: { type: 'stuck', isFailed: false }, text: "A's code was cancelled (its time limit)" },
    ]);
    expect(player.run.ops).toMatchObject([{ kind: 'rollback', keepAs: 'failures/A-step-001.diff' }]);
    expect(player.worked().run).toMatchObject({ status: 'failed' });
    expect(player.answer('retry').live).toBe('A/code');
    const going = Player.start(workflow([loop('stories', body)], policy({ onItemFailed: 'continue' })), oneStory);
    expect(going.settle(timeout).worked().asks).toEqual(['items_failed']);
  });

  it('fails the run when a step outside any story is cancelled by a timeout', () => {
    const player = Player.start(workflow([def('code', { onTimeout: 'cancel_item' })])).settle(timeout);
    expect([player.line(), player.run.status, player.asks]).toEqual(['code:cancelled', 'failed', ['stuck']]);
    expect(player.answer('retry').live).toBe('/code');
  });
});

describe('an exhausted budget', () => {
  it('can pause the run with the step failed', () => {
    const player = Player.start(workflow([def('code', { onExhausted: 'pause', maxAttempts: 1, onTimeout: 'pause' })]));
    player.settle(failing);
    expect([player.line(), player.run.status, player.run.pauseReason]).toEqual(['code:failed', 'paused', 'failure']);
    expect(player.open[0]?.text).toBe("shop's code failed (1 attempt)");
    player.answer('retry').settle(timeout);
    expect(player.open[0]?.text).toBe(
      "E005: shop's code failed (its time limit). Retry the step, or give it more time.",
    );
    expect(player.answer('skip').run.status).toBe('running');
  });

  it('can charge the story a rejection for each further try', () => {
    const tried = { type: 'retry', budget: 'rejections' } as const;
    const one = step('code', { onFail: { default: tried } });
    const player = Player.start(workflow([loop('stories', [one], { maxRejections: 2 })]), oneStory);
    player.settle(failing).settle(failing);
    expect([player.live, player.state.items[0]?.rejections]).toEqual(['A/code', 2]);
    player.settle(failing);
    expect(player.stories()).toBe('A:failed');
    expect(player.open[0]?.text).toContain('3 rejections');
  });

  it('of rejections is exhausted at once where there is no story', () => {
    const one = def('code', { maxAttempts: 1, onFail: { default: { type: 'retry', budget: 'rejections' } } });
    expect(Player.start(workflow([one])).settle(failing).asks).toEqual(['stuck']);
  });

  it('of a step in a worktree rolls back each try, crashes included', () => {
    const body = [def('code')];
    const player = Player.start(workflow([loop('stories', body, { isolate: 'worktree' })]), oneStory);
    workOn(player, 'open', 'A').settle(crash);
    expect(works(player)).toEqual(['rollback A']);
    expect(player.worked().live).toBe('A/code');
  });
});
