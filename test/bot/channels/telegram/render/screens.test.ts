// Every card as it looks on a phone. The pictures are in ../snapshots; `npx vitest run test/telegram/render -u` draws
// them again.
import { describe, expect, it } from 'vitest';
import { cards } from '../../../cards.js';
import { onPhone } from './phone.js';

describe('on a phone', () => {
  it('every kind of card is drawn', () => {
    const drawn = new Set(Object.values(cards).map((make) => make().kind));
    expect([...drawn].sort()).toEqual(
      'ack answer budget choice confirm error escalation permission progress question report review'.split(' '),
    );
  });

  it.each(Object.entries(cards))('%s looks as it is drawn', async (name, make) => {
    await expect(`${onPhone(make())}\n`).toMatchFileSnapshot(`../snapshots/${name}.txt`);
  });
});
