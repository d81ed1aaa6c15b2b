// The question about left-over files stands on the message that tells of the end.
import { expect, it } from 'vitest';
import { present } from '../../../src/bot/views/presenter.js';
import { view } from '../../../src/bot/views/view.js';
import type { Interaction } from '../../../src/engine/index.js';
import type { NewMessage } from '../../../src/store/index.js';
import { clean, def, Player, workflow } from '../../engine/builders.js';

const file = { path: 'work.txt', insertions: 4, deletions: 0 };
const left = {
  ...{ from: 'a'.repeat(40), to: 'b'.repeat(40), files: [file] },
  stat: { files: 1, insertions: 4, deletions: 0 },
};

function aborted(): { readonly player: Player; readonly ending: Interaction | null } {
  const player = Player.start(workflow([def('build')]), { task: 'Make it', rules: 5 });
  player.do({ type: 'abort' }).answer('abort');
  const ending = player.notices.flatMap((one) => (one.type === 'decided' ? [one.interaction] : [])).at(-1) ?? null;
  return { player, ending };
}

/** The newest event's cards in a chat whose end is a message of its own. */
function cardsOf({ player, ending }: ReturnType<typeof aborted>, isInChat: boolean): readonly NewMessage[] {
  const context = {
    ...{ state: player.stateOf(''), origin: null, followers: ['tg:7'], publicUrl: null },
    event: { type: 'abort', run: 'r12', chain: '', at: player.now, by: 'ada' } as const,
    cards: {
      isInChat: () => isInChat,
      cardIn: (thread: string, card: string) => (card === 'aborted:r12' ? { ...end, thread, card } : null),
      newestSettled: () => null,
      proposal: () => null,
      ending: () => ending,
    },
  };
  return player.notices.flatMap((one) => present.notice(one, context));
}

const end = { run: 'r12', interaction: null, at: 0, view: view('report', '⏹ Aborted · Make it\nshop') };

it('an end that is its own message keeps who aborted while its left-over files are asked about and settled', () => {
  const game = aborted();
  game.player.worked({ ...clean, left });
  const asked = cardsOf(game, true);
  game.player.answer('leave');
  const settled = cardsOf(game, true);
  for (const [message, ...others] of [asked, settled]) {
    expect([message?.card, others]).toEqual(['aborted:r12', []]);
    expect(message?.view.text).toMatch(/^⏹ Aborted · Make it\nshop · .*\nAborted by Ada, /);
  }
  expect(settled[0]?.view.text).toContain('Leave them · by Ada');
});

it('at the terminal, where the answered question names them, the end does not repeat it', () => {
  const game = aborted();
  game.player.worked({ ...clean, left });
  expect(cardsOf(game, false).map(({ view: { text } }) => text)).toEqual([expect.not.stringContaining('Aborted by')]);
});
