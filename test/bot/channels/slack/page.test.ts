import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { neededScopes } from '../../../../src/bot/channels/slack/setup/manifest.js';
import type { View } from '../../../../src/store/messages/message-types.js';
import { cards } from '../../cards.js';
import { onPhone } from './render/phone.js';

const root = join(import.meta.dirname, '../../../..');
const page = readFileSync(join(root, 'docs/slack.md'), 'utf8');

/** Without what the drawings mark headings, small letters, bold words and the colour of buttons with. */
function drawn(make: () => View): readonly string[] {
  return onPhone(make())
    .replaceAll(/^== | ==$|^· |\*\*/gm, '')
    .replaceAll(/\[[+!]/g, '[ ')
    .split('\n')
    .flatMap((line) => (line.startsWith('[') ? rowsOf(line) : [line]));
}

/** Phones put buttons that do not fit into a row of their own. */
function rowsOf(line: string): readonly string[] {
  const buttons = line.match(/\[[^\]]+\]/g) ?? [];
  return buttons.flatMap((_, from) =>
    buttons.slice(from).map((_one, to) => buttons.slice(from, from + to + 1).join(' ')),
  );
}

it('the page about Slack shows cards as they are drawn', () => {
  const lines = new Set(Object.values(cards).flatMap(drawn));
  const [, block = ''] = /```text\n([^`]*)```/.exec(page) ?? [];
  // Two cards stand side by side.
  const shown = block.split('\n').flatMap((line) => [line.slice(0, 42).trimEnd(), line.slice(42)]);
  expect(shown.filter((line) => line !== '').length).toBeGreaterThan(20);
  expect(shown.filter((line) => line !== '' && !lines.has(line))).toEqual([]);
});

it('the page about Slack names rights that the app has', () => {
  const named = [...page.matchAll(/`((?:channels|groups|im|files|users):[a-z]+)`/g)].map(([, scope]) => scope);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((scope) => !Object.keys(neededScopes).includes(scope ?? ''))).toEqual([]);
});
