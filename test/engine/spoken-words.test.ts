// What a person says to a running step: it reaches that attempt, or waits for the step's next prompt.
import { expect, it } from 'vitest';
import { def, interrupted, Player, pass, workflow } from './builders.js';

const flow = workflow([def('impl', { abandons: 1 }), def('look')]);

function begun(): { readonly player: Player; readonly attempt: string } {
  const player = Player.start(flow);
  const attempt = player.run.live[0]?.attempt ?? '';
  player.do({ type: 'attempt_started', attempt, worker: 'w1' });
  return { player, attempt };
}

function say(player: Player, attempt: string, isSent: boolean, key = 'k1'): Player {
  return player.do({ type: 'words_said', by: 'ada', node: 'n1', attempt, key, text: 'Use JWT', isSent });
}

const states = (player: Player) =>
  player.effects.flatMap((one) => (one.type === 'notice' && one.notice.type === 'words' ? [one.notice.state] : []));
const notes = (player: Player) => player.nodes().flatMap(({ live }) => live?.notes.map(({ text }) => text) ?? []);

it('words that the attempt has heard are in no later prompt', () => {
  const { player, attempt } = begun();
  expect(states(say(player, attempt, true))).toEqual(['sending']);
  expect(states(player.do({ type: 'words_heard', attempt, key: 'k1', isHeard: true }))).toEqual(['sent']);
  expect(notes(player.settle(interrupted))).toEqual([]);
});

it('words that the attempt did not hear before it ended go with the next prompt, once', () => {
  const { player, attempt } = begun();
  say(player, attempt, true);
  expect(states(player.settle(interrupted))).toEqual(['late']);
  expect(notes(player)).toEqual(['Use JWT']);
  expect(player.do({ type: 'words_heard', attempt, key: 'k1', isHeard: true }).ignored).toBe('superseded');
  expect(notes(player.settle(pass))).toEqual([]);
});

it('words whose turn was over wait for the next prompt', () => {
  const { player, attempt } = begun();
  say(player, attempt, true);
  expect(states(player.do({ type: 'words_heard', attempt, key: 'k1', isHeard: false }))).toEqual(['late']);
  expect(notes(player.settle(interrupted))).toEqual(['Use JWT']);
});

it('words to an attempt that was replaced never count as sent to its successor', () => {
  const { player, attempt } = begun();
  player.settle(interrupted);
  const next = player.run.live[0]?.attempt ?? '';
  player.do({ type: 'attempt_started', attempt: next, worker: 'w1' });
  expect(states(say(player, attempt, true))).toEqual(['late']);
  expect(player.do({ type: 'words_heard', attempt: next, key: 'k1', isHeard: true }).ignored).toBe('superseded');
});

it('words for the next try disturb no attempt, and are kept once', () => {
  const { player, attempt } = begun();
  expect(states(say(player, attempt, false))).toEqual(['next']);
  expect(say(player, attempt, false).ignored).toBe('said already');
  expect(notes(player.settle(interrupted))).toEqual(['Use JWT']);
});

it('words to a run that is over are refused', () => {
  const { player, attempt } = begun();
  player.walk(pass, pass);
  expect(say(player, attempt, true).replies).toEqual([{ type: 'refused', why: 'the run is over' }]);
});
