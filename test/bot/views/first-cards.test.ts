// A run's first card in each thread tells how the run ended.
import { describe, expect, it } from 'vitest';
import { present } from '../../../src/bot/views/presenter.js';
import { view } from '../../../src/bot/views/view.js';
import type { NewMessage } from '../../../src/store/index.js';
import { def, Player, pass, workflow } from '../../engine/builders.js';

const flow = workflow([def('build', { title: 'Implementation' })]);
const begun = { thread: 'sl:C1:1.2', run: 'r12', interaction: null, card: 'progress:r12:0', at: 0 };
const working = view('progress', 'Working · Make it\nshop\n▶ Implementation · 3 min\n$0.10', [
  { label: 'Stop', says: 'stop shop' },
]);

function endOf(player: Player, shown: readonly NewMessage[], isInChat = true) {
  return present.notice(
    { type: 'ended', note: 'commit 4be1d2a0' },
    {
      ...{ state: player.stateOf(''), origin: null, followers: [begun.thread], publicUrl: null },
      event: { type: 'abort', run: 'r12', chain: '', at: player.now, by: 'ada' },
      cards: {
        isInChat: () => isInChat,
        cardIn: (thread, card) => shown.find((one) => one.thread === thread && one.card === card) ?? null,
        newestSettled: () => null,
        proposal: () => null,
        ending: () => null,
      },
    },
  );
}

describe('the first card of a run without a proposal', () => {
  it('is the first progress message of a chat, and keeps its title and place', () => {
    const player = Player.start(flow, { task: 'Make it' }).walk(pass);
    const [end, first, ...others] = endOf(player, [{ ...begun, view: working }]);
    expect([end?.card, first?.card, others]).toEqual([null, 'progress:r12:0', []]);
    expect(first?.view).toMatchObject({ rings: false, buttons: [], offers: [] });
    expect(first?.view.text).toMatch(/^✅ Done · Make it\nshop\ntook .* · commit 4be1d2a0$/);
  });

  it('stays as it is at the terminal, where progress is not a card', () => {
    const player = Player.start(flow, { task: 'Make it' }).walk(pass);
    expect(endOf(player, [{ ...begun, view: working }], false).map(({ card }) => card)).toEqual([null]);
  });
});

it('a task that was cancelled before it began keeps its card', () => {
  const player = Player.create(flow, { task: 'Make it', propose: true }).answer('cancel');
  expect(player.run.status).toBe('cancelled');
  expect(endOf(player, [{ ...begun, view: working }])).toEqual([]);
});
