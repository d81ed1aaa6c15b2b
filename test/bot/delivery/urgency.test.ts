import { expect, it } from 'vitest';
import { urgencyOf } from '../../../src/bot/delivery/outgoing-message.js';
import { view } from '../../../src/bot/views/view.js';
import type { Message } from '../../../src/store/messages/message-types.js';

const base = { id: 'm1', thread: 'tg:7', run: 'r1', interaction: 'i1-1', card: 'i1-1', edits: null, at: 1 };
const urgent = (shown: Partial<Message['view']>, interaction: string | null = 'i1-1') =>
  urgencyOf({ ...base, interaction, view: { ...view('review', 'x'), ...shown } });

it('a message that rings goes first, then a card, then progress, also below a settled card', () => {
  const [rings, card] = [urgent({ rings: true }), urgent({})];
  const [below, progress] = [urgent({ settled: 'x' }), urgent({ kind: 'progress' }, null)];
  expect([below, new Set([rings, card, progress]).size]).toEqual([progress, 3]);
});
