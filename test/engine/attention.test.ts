// A person puts an open question off, or hands it to another. The rights to answer stay.
import { describe, expect, it } from 'vitest';
import { isSnoozedBy, nextSnoozeEnd } from '../../src/engine/index.js';
import type { Approvals } from '../../src/engine/workflow/definition.js';
import { def, Player, pass, workflow } from './builders.js';

const hour = 3_600_000;

function atReview(patch: Partial<Approvals> = {}): Player {
  const approvals = {
    ...{ quorum: 1, notRequester: false, remindAfterMs: null, escalateAfterMs: null, escalateTo: [] },
    ...patch,
  };
  return Player.start(workflow([def('impl'), def('review', { kind: 'human', approvals })])).walk(pass);
}

const open = (player: Player) => {
  const [found] = player.open;
  if (found === undefined) throw new Error('nothing is open');
  return found;
};

function snooze(player: Player, by: string, hours: number): Player {
  const { id, openedAt } = open(player);
  return player.do({ type: 'snooze', interaction: id, by, until: openedAt + hours * hour, at: openedAt });
}

function end(player: Player, hours: number): string | null {
  const { id, openedAt } = open(player);
  player.do({ type: 'snooze_ended', interaction: id, at: openedAt + hours * hour });
  return player.ignored;
}

describe('a snooze', () => {
  it('is of one person, replaces their earlier one, and ends once', () => {
    const player = snooze(snooze(snooze(atReview(), 'ada', 1), 'bob', 3), 'ada', 2);
    expect(['ada', 'bob', 'cy'].map((name) => isSnoozedBy(open(player), name))).toEqual([true, true, false]);
    expect(nextSnoozeEnd(open(player))).toBe(open(player).openedAt + 2 * hour);
    expect(end(player, 1)).toBe('not due');
    expect(end(player, 2)).toBeNull();
    expect(player.notices).toEqual([{ type: 'snooze_over', interaction: open(player), people: ['ada'] }]);
    expect(open(player).snoozes?.map(({ by }) => by)).toEqual(['bob']);
    expect([end(player, 2), end(player, 3), end(player, 9)]).toEqual(['not due', null, 'not due']);
    expect(open(player)).not.toHaveProperty('snoozes');
  });

  it('ends early by a word of the same person only', () => {
    const player = snooze(atReview(), 'ada', 1);
    const { id } = open(player);
    expect(player.do({ type: 'wake', interaction: id, by: 'bob' }).ignored).toBe('not snoozed');
    expect(player.do({ type: 'wake', interaction: id, by: 'ada' }).ignored).toBeNull();
    expect(open(player)).not.toHaveProperty('snoozes');
  });

  it('is over with the answer', () => {
    const player = snooze(atReview(), 'ada', 1);
    const { id, openedAt } = open(player);
    player.answer('approve');
    expect(player.do({ type: 'snooze_ended', interaction: id, at: openedAt + hour }).ignored).toBe('not open');
    expect(player.do({ type: 'snooze', interaction: id, by: 'ada', until: openedAt + 9 * hour }).ignored).toBe(
      'not open',
    );
  });

  it('is refused for a time that is over', () => {
    expect(snooze(atReview(), 'ada', 0).ignored).toBe('over already');
  });
});

describe('a card that is handed over', () => {
  it('waits for that person, and neither of the two has it put off', () => {
    const player = snooze(snooze(snooze(atReview(), 'ada', 1), 'bob', 1), 'cy', 1);
    const { id } = open(player);
    player.do({ type: 'hand', interaction: id, by: 'ada', to: 'bob' });
    expect(open(player)).toMatchObject({ handed: { by: 'ada', to: 'bob' }, snoozes: [{ by: 'cy' }] });
    expect(player.notices.map(({ type }) => type)).toEqual(['handed']);
    expect(player.do({ type: 'hand', interaction: id, by: 'cy', to: 'bob' }).ignored).toBe('handed already');
  });

  it('is answered by another person all the same', () => {
    const player = atReview();
    player.do({ type: 'hand', interaction: open(player).id, by: 'ada', to: 'bob' }).answer('approve');
    expect(player.open).toEqual([]);
  });

  it('keeps its quorum, and no longer waits for that person once they have voted', () => {
    const player = atReview({ quorum: 2 });
    const { id, chain } = open(player);
    const vote = (by: string) =>
      player.do({ type: 'answered', chain, interaction: id, option: 'approve', text: null, behind: null, by });
    player.do({ type: 'hand', interaction: id, by: 'ada', to: 'bob' });
    vote('cy');
    expect(open(player).handed?.to).toBe('bob');
    player.do({ type: 'hand', interaction: id, by: 'ada', to: 'dan' });
    vote('dan');
    expect(player.open).toEqual([]);
    const other = atReview({ quorum: 3 });
    other.do({ type: 'hand', interaction: id, by: 'ada', to: 'bob' });
    other.do({ type: 'answered', chain, interaction: id, option: 'approve', text: null, behind: null, by: 'bob' });
    expect(open(other)).not.toHaveProperty('handed');
  });
});

describe('a waiting task with other words', () => {
  it('has them in its proposal and in the story that it was', () => {
    const stories = workflow([def('impl')]);
    const player = Player.create(stories, { propose: true, task: 'Add a footer' });
    player.do({ type: 'edit_task', task: 'Add a header' });
    expect([player.run.task, open(player).text.split('\n')[0]]).toEqual(['Add a header', 'Add a header']);
    expect(player.notices.map(({ type }) => type)).toEqual(['reworded']);
  });

  it('is refused once it has begun', () => {
    const player = atReview();
    const { task } = player.run;
    expect(player.do({ type: 'edit_task', task: 'x' }).refusal).toBe('it has begun already');
    expect(player.run.task).toBe(task);
  });
});
