// Telling people again of what they have not answered, and telling others: when, and how often.
import { describe, expect, it } from 'vitest';
import { recallsOf } from '../../src/engine/index.js';
import type { Approvals } from '../../src/engine/workflow/definition.js';
import { def, Player, pass, question, workflow } from './builders.js';

const hour = 3_600_000;

function waiting(patch: Partial<Approvals>, kind: 'human' | 'task' = 'human'): Player {
  const approvals = {
    quorum: 1,
    notRequester: false,
    remindAfterMs: null,
    escalateAfterMs: null,
    escalateTo: [],
    ...patch,
  };
  return Player.start(workflow([def('impl'), def('next', { kind, approvals })])).walk(pass);
}

/** Hours since it was asked. */
function recall(player: Player, type: 'remind' | 'escalate', hours: number): string | null {
  const [open] = player.open;
  player.do({ type, interaction: open?.id ?? 'i12-1', at: (open?.openedAt ?? 0) + hours * hour });
  return player.ignored;
}

describe('a reminder of an open question', () => {
  it('is sent when it is due, not before', () => {
    const player = waiting({ remindAfterMs: 2 * hour });
    expect(recall(player, 'remind', 1.99)).toBe('not due');
    expect(recall(player, 'remind', 2)).toBeNull();
    expect(player.notices).toEqual([{ type: 'reminded', interaction: player.open[0] }]);
    expect(player.open[0]?.reminded?.count).toBe(1);
  });

  it('is sent three times, with the delay doubling each time', () => {
    const player = waiting({ remindAfterMs: hour });
    const told = [1, 2.9, 3, 6.9, 7, 1000].map((hours) => recall(player, 'remind', hours));
    expect(told).toEqual([null, 'not due', null, 'not due', null, 'not due']);
    expect(player.open[0] && recallsOf(player.open[0])).toEqual({ remindAt: null, escalateAt: null });
  });

  it('that is late delays the next one instead of being made up for', () => {
    const player = waiting({ remindAfterMs: hour });
    expect(recall(player, 'remind', 30)).toBeNull();
    expect(recall(player, 'remind', 30)).toBe('not due');
    expect(recall(player, 'remind', 31.9)).toBe('not due');
    expect(recall(player, 'remind', 32)).toBeNull();
  });

  it('is not sent for an answered question or without remind_after', () => {
    const player = waiting({ remindAfterMs: hour });
    const [open] = player.open;
    player.answer('approve').do({ type: 'remind', interaction: open?.id ?? '', at: 9 * hour });
    expect(player.ignored).toBe('not open');
    expect(recallsOf({ ...(open as NonNullable<typeof open>), state: 'answered' }).remindAt).toBeNull();
    const silent = Player.start(workflow([def('review', { kind: 'human' })]));
    expect([recall(silent, 'remind', 99), recall(silent, 'escalate', 99)]).toEqual(['not due', 'not open']);
    expect(silent.open[0] && recallsOf(silent.open[0])).toEqual({ remindAt: null, escalateAt: null });
  });

  it("is sent for an agent's question as well", () => {
    const player = waiting({ remindAfterMs: hour }, 'task').settle(question);
    expect(player.asks).toEqual(['question']);
    expect(recall(player, 'remind', 1)).toBeNull();
  });

  it('keeps the votes cast so far', () => {
    const player = waiting({ remindAfterMs: hour, quorum: 2 }).answer('approve');
    expect(recall(player, 'remind', 1)).toBeNull();
    expect(player.open[0]?.votes).toHaveLength(1);
  });
});

describe('an escalation of an open question', () => {
  const late = () => waiting({ escalateAfterMs: 8 * hour, escalateTo: ['bob', 'cy'] });

  it('notifies the escalation contacts once, when it is due', () => {
    const player = late();
    expect(recall(player, 'escalate', 7.9)).toBe('not due');
    expect(recall(player, 'escalate', 8)).toBeNull();
    const at = (player.open[0]?.openedAt ?? 0) + 8 * hour;
    expect(player.open[0]?.escalatedAt).toBe(at);
    expect(player.notices).toEqual([{ type: 'escalated', interaction: player.open[0], to: ['bob', 'cy'] }]);
    expect(recall(player, 'escalate', 80)).toBe('not due');
  });

  it('is not sent for an answered question, and sends no reminders', () => {
    const player = late();
    expect(recall(player, 'remind', 9)).toBe('not due');
    const [open] = player.open;
    player.answer('approve').do({ type: 'escalate', interaction: open?.id ?? '', at: 9 * hour });
    expect(player.ignored).toBe('not open');
  });
});
