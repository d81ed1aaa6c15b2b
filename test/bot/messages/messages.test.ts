// docs/messages.md is generated: `npm run messages` writes it.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cards } from '../cards.js';
import { messagesPage } from './page.js';

it('docs/messages.md shows every message as the platforms render it', async () => {
  await expect(messagesPage()).toMatchFileSnapshot(join(process.cwd(), 'docs/messages.md'));
});

it('the samples cover every kind of view that channels render differently', () => {
  const kinds = new Set(Object.values(cards).map((make) => make().kind));
  expect([...kinds].sort()).toEqual(
    'ack answer budget choice confirm error escalation permission progress question report review'.split(' '),
  );
});
