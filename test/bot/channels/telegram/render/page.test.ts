import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cards } from '../../../cards.js';
import { onPhone } from './phone.js';

const root = join(import.meta.dirname, '../../../../..');

it('the page about Telegram shows cards as they are drawn', () => {
  const drawn = Object.values(cards).map((make) => onPhone(make()).replaceAll('**', ''));
  const lines = new Set(drawn.flatMap((card) => card.split('\n')));
  const page = readFileSync(join(root, 'docs/telegram.md'), 'utf8');
  const [, block = ''] = /```text\n([^`]*)```/.exec(page) ?? [];
  // Two cards stand side by side.
  const shown = block.split('\n').flatMap((line) => [line.slice(0, 42).trimEnd(), line.slice(42)]);
  expect(shown.filter((line) => line !== '').length).toBeGreaterThan(20);
  expect(shown.filter((line) => line !== '' && !lines.has(line))).toEqual([]);
});
