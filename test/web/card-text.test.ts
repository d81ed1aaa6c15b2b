// The numbers of a card as chips: green what was measured well, red what was not. Questions are a list with their numbers.
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

it('a question that an agent wrote as Markdown stands beside its number', () => {
  const questions = ['How **long** may it stay?', 'Where?'];
  const text = `Review · Cart\nOpen questions:\n1. ${questions[0]}\n2. ${questions[1]}`;
  const drawn = String(CardText({ text, title: '', markdown: questions })?.toString());
  expect(drawn).toMatch(/<ol [^>]*start="1"><li><div [^>]*>How <b>long<\/b> may it stay\?<\/div><\/li><\/ol>/);
  expect(drawn).toMatch(/<ol [^>]*start="2"><li><div [^>]*>Where\?<\/div><\/li><\/ol>/);
  expect(drawn).not.toContain('<li></li>');
});
