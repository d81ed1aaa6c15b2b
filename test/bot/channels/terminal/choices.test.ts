import { expect, it } from 'vitest';
import { Choices } from '../../../../src/bot/channels/terminal/choices.js';
import type { Message } from '../../../../src/store/messages/message-types.js';

function message(id: string, labels: readonly string[], interaction: string | null = null): Message {
  const buttons = labels.map((label, index) => ({
    label,
    press: interaction === null ? `${id}.${index}` : `${interaction}.${label.toLowerCase()}`,
  }));
  const view = { kind: 'answer', text: '', buttons, offers: [], rings: false, file: null };
  return { id, edits: null, thread: 'local', run: null, interaction, card: null, at: 0, view };
}

const settled = (id: string, interaction: string): Message => ({
  ...message(id, [], interaction),
  card: interaction,
  edits: 'm1',
});
const numbers = (choices: Choices, shown: Message) => choices.take(shown).map(({ number }) => number);

it('button numbers continue across cards and restart when no card is open', () => {
  const choices = new Choices();
  expect(numbers(choices, message('m1', ['Approve', 'Reject'], 'i1'))).toEqual([1, 2]);
  expect(numbers(choices, message('m2', ['Retry', 'Skip'], 'i2'))).toEqual([3, 4]);
  choices.take(settled('m3', 'i1'));
  expect(choices.byNumber(1)).toBeNull();
  expect(choices.byNumber(3)?.press).toBe('i2.retry');
  choices.take(settled('m4', 'i2'));
  expect(numbers(choices, message('m5', ['Start', 'Cancel'], 'i3'))).toEqual([1, 2]);
});

it('a card shown again keeps its numbers and becomes the newest', () => {
  const choices = new Choices();
  choices.take(message('m1', ['Approve', 'Reject'], 'i1'));
  choices.take(message('m2', ['Approve', 'Reject'], 'i2'));
  expect(choices.byName('approve')?.press).toBe('i2.approve');
  expect(numbers(choices, message('m3', ['Approve', 'Reject'], 'i1'))).toEqual([1, 2]);
  expect(choices.byName('approve')?.press).toBe('i1.approve');
  expect(choices.replyTarget(null)).toBe('m3');
  expect(choices.replyTarget('i2')).toBe('m2');
});

it('offers never reuse the number of a card and expire with the next command', () => {
  const choices = new Choices();
  choices.take(message('m1', ['Approve', 'Reject'], 'i1'));
  expect(numbers(choices, message('m2', ['Continue']))).toEqual([3]);
  expect(choices.replyTarget(null)).toBe('m1');
  choices.forgetOffers();
  expect(choices.byNumber(3)).toBeNull();
  expect(numbers(choices, message('m3', ['Continue']))).toEqual([3]);
});

it('an offer is pressed under the id of the newest version of its message', () => {
  const choices = new Choices();
  const shown = message('m27', ['Continue', 'Status']);
  const view = { ...shown.view, buttons: [{ label: 'Continue', press: '.0' }] };
  expect(choices.take({ ...shown, view })[0]?.press).toBe('m27.0');
  expect(choices.take({ ...shown, id: 'm31', edits: 'm27', view })[0]?.press).toBe('m31.0');
});

it('offers that clarify a reply leave the card open', () => {
  const choices = new Choices();
  choices.take(message('m1', ['Approve', 'Reject'], 'i1'));
  const asked = { ...message('m2', ['Approve']), interaction: 'i1' };
  expect(numbers(choices, asked)).toEqual([3]);
  expect(choices.byNumber(1)?.press).toBe('i1.approve');
  expect(choices.byNumber(3)?.press).toBe('m2.0');
});
