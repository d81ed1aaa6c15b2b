import { expect, it } from 'vitest';
import { ChatLane } from '../../../../src/bot/delivery/chat-lane.js';
import { type OutgoingMessage, outgoingMessageOf } from '../../../../src/bot/delivery/outgoing-message.js';
import { placedThread } from '../../../open-store.js';

const view = { kind: 'answer', text: '', buttons: [], offers: [], rings: false, file: null } as const;

function parcel(n: number, thread: string, rings = false, more: Partial<OutgoingMessage> = {}): OutgoingMessage {
  const place = placedThread(thread);
  if (place === null) throw new Error(`no place: ${thread}`);
  const message = { id: `m${n}`, edits: null, thread, run: null, interaction: null, card: null, at: 0 };
  return { ...outgoingMessageOf({ ...message, view: { ...view, rings } }, place, 'C01GEN'), ...more };
}

function order(...parcels: readonly OutgoingMessage[]): readonly string[] {
  const lane = new ChatLane();
  for (const one of parcels) lane.put(one);
  return parcels.map(() => {
    const next = lane.take(0);
    if (next) lane.done(next);
    return next?.message ?? '';
  });
}

it('a thread that Bosun opens starts with its first message even if a ringing one would overtake it', () => {
  const opened = 'sl:C01GEN:c0123456789abcdef';
  expect(order(parcel(1, 'sl:C01GEN'), parcel(2, opened), parcel(3, opened, true))).toEqual(['m2', 'm3', 'm1']);
  expect(order(parcel(1, opened, false, { root: '1.2' }), parcel(2, opened, true, { root: '1.2' }))).toEqual([
    'm2',
    'm1',
  ]);
  expect(order(parcel(1, 'sl:C01GEN:1.2'), parcel(2, 'sl:C01GEN:1.2', true))).toEqual(['m2', 'm1']);
});
