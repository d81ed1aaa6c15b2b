// The branch that a step proposes, and the texts of commits and pull requests.
import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/engine/index.js';
import * as build from './builders.js';
import { clean, def, item, loop, Player, said, workflow } from './builders.js';

const planned = said({ STATUS: 'pass', BRANCH: 'feature/count', STORIES: '' });
const flow = workflow([def('plan', { outputs: ['BRANCH'], branch: '{{branch}}' }), def('impl')]);
const branch = (name: string) => ({ name, base: 'main', folder: null });

/** The plan has passed; what it asks of the checkout is left open. */
function afterPlan(deliver: Run['deliver'] = 'commit'): Player {
  const player = Player.create(flow, { deliver }).do({ type: 'start', behind: null });
  player.worked({ ...clean, base: 'main', ...(deliver === 'commit' ? {} : { branch: branch('bosun/r12') }) });
  const [live] = player.run.live;
  player.do({ type: 'attempt_started', attempt: live?.attempt ?? '', worker: 'w1' });
  return player.do({ type: 'attempt_settled', attempt: live?.attempt ?? '', envelope: planned });
}

describe('a branch that a step proposes', () => {
  it('is made before the next step begins, and delivered as a branch', () => {
    const player = afterPlan();
    expect(player.run.ops).toMatchObject([{ kind: 'branch', chain: '', name: 'feature/count' }]);
    expect(player.run.live).toEqual([]);
    player.worked({ ...clean, base: 'main', branch: branch('feature/count-2') });
    expect(player.run).toMatchObject({ deliver: 'branch', branch: { name: 'feature/count-2' } });
    expect(player.run.context['branch']).toBe('feature/count-2');
    expect(player.run.live.map(({ step }) => step)).toEqual(['impl']);
  });

  it.each(['branch', 'push', 'pr'] as const)(
    'is dropped under deliver: %s, where the run has one already',
    (deliver) => {
      const player = afterPlan(deliver);
      expect(player.run.ops).toEqual([]);
      expect([player.run.context['branch'], player.run.deliver]).toEqual(['bosun/r12', deliver]);
      expect(player.run.live.map(({ step }) => step)).toEqual(['impl']);
    },
  );

  it('is the one checked out where no branch was made', () => {
    const player = afterPlan().worked({ ...clean, base: 'main' });
    expect([player.run.context['branch'], player.run.branch, player.run.deliver]).toEqual(['main', null, 'commit']);
  });

  it('can be done without, if it cannot be made', () => {
    const player = afterPlan().worked({ ok: false, code: 'blocked', message: 'no disk', files: [] });
    expect(player.open).toMatchObject([{ kind: 'escalation', text: 'no disk' }]);
    player.answer('go_on');
    expect(player.run.live.map(({ step }) => step)).toEqual(['impl']);
  });
});

describe('a branch that an agent switched to', () => {
  it('is told once, and stands in the end', () => {
    const player = Player.create(workflow([def('impl')])).do({ type: 'start', behind: null });
    player.worked({ ...clean, base: 'main' });
    player.settle();
    player.worked({ ...clean, onBranch: 'feature/count' });
    const told = player.effects.flatMap((one) => (one.type === 'notice' ? [one.notice] : []));
    expect(told).toMatchObject([
      { type: 'told', text: 'The agent switched from main to feature/count. The work is there.' },
      { type: 'ended', note: 'nothing to commit, on the branch feature/count' },
    ]);
  });
});

describe('the text of a commit', () => {
  const digest = build.envelope({
    output: { ...build.pass.output },
    handoff: build.handoff({ status: 'pass', reviewDigest: 'Counts.\nBosun: r1', questions: ['Is  0 ok?'] }),
    checks: [build.check('tests', true)],
    costUsd: 0.41,
    session: 'claude:abc',
  });

  const delivered = (task: string) => {
    const player = Player.create(workflow([def('impl')]), { task }).do({ type: 'start', behind: null });
    player.worked({ ...clean, base: 'main' });
    const [live] = player.run.live;
    player.do({ type: 'attempt_started', attempt: live?.attempt ?? '', worker: 'w1' });
    player.do({ type: 'attempt_settled', attempt: live?.attempt ?? '', envelope: digest });
    return player.run.ops[0];
  };

  it('carries digest, questions, tests and cost, and whose work it is', () => {
    expect(delivered('Count things')).toMatchObject({
      kind: 'deliver',
      agents: ['claude'],
      message:
        'Count things\n\nCounts.\n  Bosun: r1\n\nQuestions:\n- Is 0 ok?\n\nTests: 2 passed, 0 failed, 0 skipped\nCost: $0.41',
    });
  });

  it('has a subject of at most 72 characters, cut between words, with the whole below it', () => {
    const task = 'Let people export their order history as a spreadsheet from the account page';
    const op = delivered(task);
    const [subject = '', blank, whole] = op?.kind === 'deliver' ? op.message.split('\n') : [];
    expect([subject, blank, whole]).toEqual([
      'Let people export their order history as a spreadsheet from the account…',
      '',
      task,
    ]);
  });
});

describe('the text of a pull request', () => {
  it('carries task, stories, digests, tests and cost, under the title that a step proposed', () => {
    const flow = workflow([loop('stories', [def('impl')]), def('pr', { outputs: ['PR'] })]);
    const player = Player.create(flow, { items: [item('US-1')], deliver: 'pr', task: 'Count', afterStory: 'start' });
    player.do({ type: 'start', behind: null }).worked({ ...clean, base: 'main', branch: branch('bosun/r12') });
    const handoff = build.handoff({ status: 'pass', reviewDigest: 'It counts.' });
    player.settle(build.envelope({ handoff, checks: [build.check('tests', true)], costUsd: 1 }));
    player.worked();
    player.settle(said({ STATUS: 'pass', PR: 'Count things' }));
    player.worked();
    expect(player.run.ops[0]).toMatchObject({
      kind: 'publish',
      title: 'Count things',
      text: expect.stringMatching(/^Count\n\nStories:\n- US-1: Title of US-1\n\nIt counts\.\n\n[\s\S]*Cost: \$1\.00$/),
    });
  });
});
