// The line of progress of a chat: what runs, with a button that stops it and one that shows its log.
import { describe, expect, it } from 'vitest';
import { present } from '../../../src/bot/views/presenter.js';
import { view } from '../../../src/bot/views/view.js';
import type { RunCards } from '../../../src/dispatch/index.js';
import type { NewMessage } from '../../../src/store/index.js';
import { def, Player, pass, workflow } from '../../engine/builders.js';

const flow = workflow([def('build'), def('review', { kind: 'human' }), def('ship')]);

function shownIn(player: Player, cards: RunCards): NewMessage {
  const about = { state: player.stateOf(''), lastSign: () => null, at: player.now };
  const [shown] = present.working({ ...about, followers: ['tg:7'], cards });
  if (shown === undefined) throw new Error('nothing is shown');
  return shown;
}

function running(player: Player): Player {
  const [live] = player.run.live;
  return player.do({ type: 'attempt_started', attempt: live?.attempt ?? '', worker: 'w1' });
}

const noEnding = { ending: () => null, proposal: () => null };

const labels = ({ view: { buttons } }: NewMessage) => buttons.map(({ label }) => label);

describe('progress in a chat', () => {
  it('has a button to stop and one for the log so far while a step runs', () => {
    const player = running(Player.start(flow));
    const cards = { ...noEnding, isInChat: () => true, cardIn: () => null, newestSettled: () => null };
    const shown = shownIn(player, cards);
    expect(labels(shown)).toEqual(['Stop', 'Log so far']);
    expect(shown.view.offers).toEqual(['stop shop', '@log r12']);
  });

  it('adds them once to a settled card, behind the buttons that it has, and takes them away when nothing runs', () => {
    const player = Player.start(flow).walk(pass).answer('approve');
    const settled = player.notices.findLast(({ type }) => type === 'decided');
    if (settled?.type !== 'decided') throw new Error('nothing was decided');
    const offers = [{ label: 'Show diff', says: `@diff ${settled.interaction.id}` }];
    const card = view('review', '✅ Approved · Make it\nshop', offers);
    let now: NewMessage = {
      ...{ thread: 'tg:7', run: 'r12', interaction: settled.interaction.id, card: settled.interaction.id, at: 0 },
      view: card,
    };
    const cards = { ...noEnding, isInChat: () => true, cardIn: () => now, newestSettled: () => settled.interaction };
    for (let time = 0; time < 2; time += 1) now = shownIn(running(player), cards);
    expect(labels(now)).toEqual(['Show diff', 'Stop', 'Log so far']);
    expect(now.view.buttons.map(({ press }) => press)).toEqual(['.0', '.1', '.2']);
    expect(now.view.text).toContain('▶ ship');
    now = shownIn(player.settle(pass), cards);
    expect(labels(now)).toEqual(['Show diff']);
  });

  it('shows a task that waited for its turn as started', () => {
    const player = Player.create(flow, { propose: true }).answer('start');
    const proposal = player.notices.find(({ type }) => type === 'decided');
    if (proposal?.type !== 'decided') throw new Error('nothing was decided');
    const { interaction } = proposal;
    player.worked();
    const text = 'Queued · Make it\nshop\nStarts by itself when its turn comes.\nby Ada, 12:40';
    const own = { thread: 'tg:7', run: 'r12', interaction: interaction.id, card: interaction.id, at: 0 };
    const cards = {
      ...noEnding,
      isInChat: () => true,
      cardIn: () => ({ ...own, view: view('confirm', text) }),
      newestSettled: () => interaction,
    };
    expect(shownIn(running(player), cards).view.text).toMatch(/^✅ Started · Make it\nshop\nby Ada, 12:40\n▶ build/);
  });
});
