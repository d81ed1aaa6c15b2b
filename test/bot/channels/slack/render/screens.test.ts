// Every card as it looks on a phone. The pictures are in ../snapshots; `npx vitest run test/slack/render -u` draws
// them again.
import { describe, expect, it } from 'vitest';
import { renderHome } from '../../../../../src/bot/channels/slack/home-tab/render-home.js';
import { cards } from '../../../cards.js';
import { problemsOf } from '../server/blocks.js';
import { homes } from './homes.js';
import { linesOf, onPhone, rendered } from './phone.js';

describe('on a phone', () => {
  it.each(Object.entries(cards))('%s looks as it is drawn, and the platform takes it', async (name, make) => {
    const view = make();
    for (const part of rendered(view))
      if (part.kind === 'message') expect(problemsOf(part.blocks, 'message')).toEqual([]);
    await expect(`${onPhone(view)}\n`).toMatchFileSnapshot(`../snapshots/${name}.txt`);
  });

  it.each(Object.entries(homes))('the home tab of %s looks as it is drawn', async (name, home) => {
    const { blocks } = renderHome(home);
    const lines = blocks.flatMap((block) => linesOf(block as Parameters<typeof linesOf>[0]));
    await expect(`${lines.join('\n').replaceAll('\u2060', '')}\n`).toMatchFileSnapshot(`../snapshots/home-${name}.txt`);
  });
});
