// After a commit the timers of the cards that it changed are set anew, whatever makes them due.
import { expect, it } from 'vitest';
import { TransactionChanges } from '../../src/dispatch/commit/transaction-changes.js';
import type { Event, Interaction } from '../../src/engine/index.js';
import { def, Player, pass, workflow } from '../engine/builders.js';

const flow = workflow([def('impl'), def('review', { kind: 'human' })]);

function changedBy(player: Player, event: Omit<Event, 'run' | 'at' | 'chain'>): readonly Interaction[] {
  const before = player.stateOf('');
  player.do(event as Parameters<Player['do']>[0]);
  const changes = new TransactionChanges();
  const said = { ...event, run: player.run.id, chain: '', at: player.now } as Event;
  changes.decided(said, before, player.stateOf(''), null);
  return changes.recalls.map(({ interaction }) => interaction);
}

it('for an abort that expires without an answer', () => {
  const [asked] = changedBy(Player.start(flow, { rules: 5 }), { type: 'abort', by: 'ada' } as Event);
  expect([asked?.subject.type, asked?.expiresAt !== undefined]).toEqual(['abort', true]);
});

it('for a snooze, and again for its end', () => {
  const player = Player.start(flow).walk(pass);
  const interaction = player.open[0]?.id ?? '';
  const until = player.now + 3_600_000;
  const snoozed = changedBy(player, { type: 'snooze', interaction, until, by: 'ada' } as Event);
  expect(snoozed.map(({ snoozes }) => snoozes)).toEqual([[{ by: 'ada', until }]]);
  const woken = changedBy(player, { type: 'wake', interaction, by: 'ada' } as Event);
  expect(woken.map(({ snoozes }) => snoozes)).toEqual([undefined]);
});
