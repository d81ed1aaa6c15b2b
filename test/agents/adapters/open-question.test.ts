import { describe, expect, it } from 'vitest';
import { openQuestion } from '../../../src/agents/adapters/shared/open-question.js';

describe('an agent’s final message', () => {
  it.each([
    ['a question alone', 'Shall I go on?'],
    ['work, then a question', 'The cart is done.\n\nShould the total include tax?'],
    ['a question in bold', 'All done. **Shall I also migrate the data?**'],
    ['a question before a report that says pass', 'Which currency do you want?\n\nSTATUS: done\nFILES: a.js'],
    ['a summary that asks', 'STATUS: done\nSUMMARY: Shall I drop the table?'],
    ['a question about what is cited', 'Should the label be "Sure?" or "Shall I?"'],
    ['a question that cites', 'The text is long. Does it read "Delete this file?"'],
    ['a citation and nothing else', '"Which one do you want?"'],
    ['whether something else is to be done', 'Should I change anything else in the invoice?'],
    ['full-width marks', 'どちらを使いますか？'],
  ])('contains an open question: %s', (_, text) => {
    expect(openQuestion(text)).not.toBeNull();
  });

  it.each([
    ['a statement', 'All tests pass.'],
    ['nothing', ''],
    ['a question that it answers itself', 'Why did it fail? Because of the clock.'],
    ['a question in code', 'I added:\n```js\nconst ask = "Ready?"\n// really?\n```'],
    ['a question in an unclosed code block', 'See\n```\nready?'],
    ['a question in words of code', 'The label is now `Sure?`'],
    ['a heading that asks', 'Done.\n## What next?'],
    ['a quotation', 'The user wrote:\n> can it be blue?'],
    ['what a screen says now', 'STATUS: done\nSUMMARY: The dialog now says "Delete this file?"'],
    ['a courtesy', 'STATUS: done\nSUMMARY: Built the cart.\n\nIs there anything else you would like me to do?'],
    ['a short courtesy', 'All tests pass. Anything else?'],
    ['an offer of help with nothing named', 'Done — can I help you with anything else?'],
    ['an address', 'See https://example.org/?q=1'],
    ['a list of what was done', 'Done:\n- cart\n- total'],
    ['a question, then a report on it', 'What was wrong? The clock.\nSTATUS: done'],
  ])('contains no open question: %s', (_, text) => {
    expect(openQuestion(text)).toBeNull();
  });

  it('yields the options that it lists', () => {
    expect(openQuestion('Which one do you want?\n1. **SQLite**\n2. Postgres\n')).toEqual({
      text: 'Which one do you want?',
      options: ['SQLite', 'Postgres'],
    });
  });

  it('is cut to a limit', () => {
    expect(openQuestion(`${'long '.repeat(1000)}?`)?.text.length).toBeLessThanOrEqual(1000);
  });
});
