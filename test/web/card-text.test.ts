// The numbers of a card as chips: green what was measured well, red what was not.
import { expect, it } from 'vitest';
import { testsInWords } from '../../src/bot/views/view.js';
import { CardText } from '../../src/web/pages/cards/card-text.js';

const chipsOf = (tests: string) => {
  const text = `Review · Cart\nIn all: 3 files +47 −0 · ${tests} · 16 min · $0.42`;
  const drawn = String(CardText({ text, title: '' })?.toString());
  return [...drawn.matchAll(/class="chip ?(\w*)">([^<]*)/g)].map(([, tone, words]) => `${words}: ${tone}`);
};
const counted = (pass: number, fail: number) => testsInWords({ pass, fail, skip: 0, failing: [] });

it.each([
  [counted(42, 0), 'ok'],
  [counted(40, 2), 'bad'],
  [counted(40, 1), 'bad'],
  [counted(0, 0), ''],
  ['tests not checked', ''],
  ['tests 42/42', 'ok'],
  ['tests 40/42', 'bad'],
])('%s is shown as a chip in its colour', (tests, tone) => {
  expect(chipsOf(tests)).toEqual(['3 files +47 −0: ', `${tests}: ${tone}`, '16 min: ', '$0.42: ']);
});
