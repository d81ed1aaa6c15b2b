// docs/messages.md and the cards in docs/telegram.md and docs/slack.md are generated: `npm run messages` writes them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cards } from '../cards.js';
import { inThread } from '../channels/slack/render/phone.js';
import { onPhone as onTelegram } from '../channels/telegram/render/phone.js';
import { excerpt } from './excerpt.js';
import { messagesPage } from './page.js';

const docs = join(import.meta.dirname, '../../../docs');

it('docs/messages.md shows every message as the platforms render it', async () => {
  await expect(messagesPage()).toMatchFileSnapshot(join(docs, 'messages.md'));
});

describe('a page about a platform', () => {
  it.each([
    ['telegram.md', (text: string) => text.replaceAll('**', '')],
    ['slack.md', withoutMarks],
  ] as const)('%s shows cards as they are drawn', async (name, plain) => {
    const page = readFileSync(join(docs, name), 'utf8');
    const draw = name === 'slack.md' ? inThread : onTelegram;
    const block = excerpt((view) => plain(draw(view)));
    expect(page.match(/^```text\n/gm)).not.toBeNull();
    const shown = page.replace(/^```text\n[^`]*```\n/m, () => block);
    await expect(shown).toMatchFileSnapshot(join(docs, name));
  });
});

it('the samples cover every kind of view that channels render differently', () => {
  const kinds = new Set(Object.values(cards).map((make) => make().kind));
  expect([...kinds].sort()).toEqual(
    'ack answer budget choice confirm error escalation permission progress question report review'.split(' '),
  );
});

/** Without the marks of headings, bold words, small print and colours. */
function withoutMarks(text: string): string {
  return text.replaceAll(/^== | ==$|^· |\*\*/gm, '').replaceAll(/\[[+!]/g, '[ ');
}
