// Slack accepts every card, and draws the home tab as in ../snapshots; `npx vitest run test/bot/channels/slack/render -u`
// draws it again. docs/messages.md shows the cards.
import { describe, expect, it } from 'vitest';
import { renderHome } from '../../../../../src/bot/channels/slack/home-tab/render-home.js';
import { cards } from '../../../cards.js';
import { problemsOf } from '../server/blocks.js';
import { homes } from './homes.js';
import { linesOf, rendered } from './phone.js';

describe('Slack screens', () => {
  it.each(Object.entries(cards))('Slack accepts the blocks of %s', (_name, make) => {
    const messages = rendered(make()).filter((part) => part.kind === 'message');
    expect(messages).not.toEqual([]);
    for (const { blocks } of messages) expect(problemsOf(blocks, 'message')).toEqual([]);
  });

  it.each(Object.entries(homes))('the home tab of %s matches its snapshot', async (name, home) => {
    const { blocks } = renderHome(home);
    const lines = blocks.flatMap((block) => linesOf(block as Parameters<typeof linesOf>[0]));
    await expect(`${lines.join('\n').replaceAll('\u2060', '')}\n`).toMatchFileSnapshot(`../snapshots/home-${name}.txt`);
  });
});
