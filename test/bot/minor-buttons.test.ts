// Minor buttons of a card stand apart from those that decide: a row of their own on Telegram, three dots on Slack.

import { expect, it } from 'vitest';
import { bodyOf } from '../../src/bot/channels/slack/inbound/read/payload.js';
import { renderView as onSlack } from '../../src/bot/channels/slack/render/index.js';
import { renderView as onTelegram } from '../../src/bot/channels/telegram/render/index.js';
import { view, withButtons, withMenu } from '../../src/bot/views/view.js';

const buttons = ['approve', 'changes', 'reject'].map((id) => ({ label: id, press: `i1-2.${id}` }));
const offers = [{ label: 'Show diff', says: '@diff i1-2' }];
const menu = [
  { label: 'Snooze 1 h', says: '@snooze i1-2 60' },
  { label: 'Hand over', says: '@hand i1-2' },
];
const card = withMenu({ ...withButtons(view('review', 'Review · Make it\nshop', offers), buttons), rings: true }, menu);
const idOf = ({ press }: { readonly press: string }) => (press.startsWith('.') ? `m7${press}` : press);

it('are offers of the message behind its other ones', () => {
  expect(card.offers).toEqual(['@diff i1-2', '@snooze i1-2 60', '@hand i1-2']);
  expect(card.menu?.map(({ press }) => press)).toEqual(['.1', '.2']);
  expect(card.buttons.map(({ label }) => label)).toEqual(['approve', 'changes', 'reject', 'Show diff']);
});

it('are the last row on Telegram', () => {
  const rows = onTelegram(card, idOf).parts.at(-1)?.keyboard ?? [];
  expect(rows.at(-1)).toEqual([
    { text: 'Snooze 1 h', callback_data: 'm7.1' },
    { text: 'Hand over', callback_data: 'm7.2' },
  ]);
  expect(rows.length).toBe(3);
});

it('are behind the three dots on Slack, whose pick is a press', () => {
  const [shown] = onSlack(card, idOf);
  const blocks = shown?.kind === 'message' ? shown.blocks : [];
  const elements = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
  const dots = elements.at(-1);
  expect(elements.map(({ type }) => type)).toEqual(['button', 'button', 'button', 'button', 'overflow']);
  expect(dots?.type === 'overflow' && dots.options.map(({ value }) => value)).toEqual(['m7.1', 'm7.2']);
  const picked = bodyOf({
    type: 'block_actions',
    api_app_id: 'A1',
    user: { id: 'U01ADA' },
    container: { type: 'message', message_ts: '1.2', channel_id: 'C01GEN' },
    actions: [{ type: 'overflow', action_id: 'press:menu', selected_option: { value: 'm7.2' } }],
  });
  expect(picked.kind === 'press' && picked.press.actions[0]?.value).toBe('m7.2');
});
