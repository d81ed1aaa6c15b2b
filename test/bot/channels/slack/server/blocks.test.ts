// Every limit of Block Kit: what reaches it is taken, what goes over it by one is not.
import { describe, expect, it } from 'vitest';
import { problemsOf, problemsOfView, type Surface } from './blocks.js';

const x = (chars: number) => 'x'.repeat(chars);
const plain = (text: string) => ({ type: 'plain_text', text });
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
const button = (more: object = {}, index = 0) => ({
  type: 'button',
  text: plain('Go'),
  action_id: `b:${index}`,
  ...more,
});
const actions = (...elements: object[]) => ({ type: 'actions', elements });
const confirm = (more: object = {}) => ({
  title: plain('T'),
  text: plain('t'),
  confirm: plain('y'),
  deny: plain('n'),
  ...more,
});
const select = (more: object = {}) => ({
  type: 'static_select',
  action_id: 's',
  options: [{ text: plain('a'), value: 'a' }],
  ...more,
});
const option = (index: number) => ({ text: plain(`o${index}`), value: `v${index}` });
const input = (element: object, more: object = {}) => ({ type: 'input', label: plain('L'), element, ...more });

/** What fits, the same made larger by one, and where it is too large. */
const limits: readonly (readonly [string, (size: number) => object[], number, string])[] = [
  ['a section', (size) => [section(x(size))], 3000, '/blocks/0/text/text'],
  ['fields', (size) => [{ type: 'section', fields: times(size, () => plain('f')) }], 10, '/blocks/0/fields'],
  ['a field', (size) => [{ type: 'section', fields: [plain(x(size))] }], 2000, '/blocks/0/fields/0/text'],
  ['a header', (size) => [{ type: 'header', text: plain(x(size)) }], 150, '/blocks/0/text/text'],
  ['a context', (size) => [{ type: 'context', elements: times(size, () => plain('c')) }], 10, '/blocks/0/elements'],
  [
    'a text of a context',
    (size) => [{ type: 'context', elements: [plain(x(size))] }],
    2000,
    '/blocks/0/elements/0/text',
  ],
  ['actions', (size) => [actions(...times(size, (index) => button({}, index)))], 25, '/blocks/0/elements'],
  ['a button', (size) => [actions(button({ text: plain(x(size)) }))], 75, '/blocks/0/elements/0/text/text'],
  ["a button's value", (size) => [actions(button({ value: x(size) }))], 2000, '/blocks/0/elements/0/value'],
  ["a button's address", (size) => [actions(button({ url: x(size) }))], 3000, '/blocks/0/elements/0/url'],
  ['an action_id', (size) => [actions(button({ action_id: x(size) }))], 255, '/blocks/0/elements/0/action_id'],
  ['a block_id', (size) => [{ type: 'divider', block_id: x(size) }], 255, '/blocks/0/block_id'],
  ['a text for an image', (size) => [{ type: 'image', image_url: 'u', alt_text: x(size) }], 2000, '/blocks/0/alt_text'],
  [
    'a question',
    (size) => [actions(button({ confirm: confirm({ text: plain(x(size)) }) }))],
    300,
    '/blocks/0/elements/0/confirm/text/text',
  ],
  ['options', (size) => [actions(select({ options: times(size, option) }))], 100, '/blocks/0/elements/0/options'],
  [
    'an option',
    (size) => [actions(select({ options: [{ text: plain(x(size)), value: 'v' }] }))],
    75,
    '/blocks/0/elements/0/options/0/text/text',
  ],
  [
    "an option's value",
    (size) => [actions(select({ options: [{ text: plain('o'), value: x(size) }] }))],
    150,
    '/blocks/0/elements/0/options/0/value',
  ],
  [
    'an overflow menu',
    (size) => [actions({ type: 'overflow', options: times(size, option) })],
    5,
    '/blocks/0/elements/0/options',
  ],
  [
    'checkboxes',
    (size) => [actions({ type: 'checkboxes', options: times(size, option) })],
    10,
    '/blocks/0/elements/0/options',
  ],
  [
    'a placeholder',
    (size) => [actions(select({ placeholder: plain(x(size)) }))],
    150,
    '/blocks/0/elements/0/placeholder/text',
  ],
  [
    "an input's label",
    (size) => [input({ type: 'plain_text_input' }, { label: plain(x(size)) })],
    2000,
    '/blocks/0/label/text',
  ],
  [
    "an input's first text",
    (size) => [input({ type: 'plain_text_input', initial_value: x(size) })],
    3000,
    '/blocks/0/element/initial_value',
  ],
  ['markdown', (size) => [{ type: 'markdown', text: x(size) }], 12_000, '/blocks/0/text'],
  [
    'markdown together',
    (size) => [
      { type: 'markdown', text: x(6000) },
      { type: 'markdown', text: x(size - 6000) },
    ],
    12_000,
    '/blocks',
  ],
  ['blocks of a message', (size) => times(size, () => ({ type: 'divider' })), 50, '/blocks'],
];

describe("the fake Slack's Block Kit check", () => {
  it.each(limits)('limits %s', (_name, make, most, place) => {
    expect(problemsOf(make(most), 'message')).toEqual([]);
    expect(problemsOf(make(most + 1), 'message')).toContainEqual(expect.stringContaining(`[json-pointer:${place}]`));
  });

  it.each<[string, object, Surface, string]>([
    ['an unknown kind', { type: 'sections' }, 'message', 'unsupported type: sections'],
    ['a name of an object as a kind', { type: 'constructor' }, 'message', 'unsupported type: constructor'],
    ['a section without a text', { type: 'section' }, 'message', 'missing required field: text'],
    ['an empty text', section(''), 'message', 'must be more than 0 characters'],
    [
      'a header in mrkdwn',
      { type: 'header', text: { type: 'mrkdwn', text: 'h' } },
      'message',
      'unsupported type: mrkdwn',
    ],
    ['an unknown field', { type: 'divider', colour: 'red' }, 'message', 'invalid additional property: colour'],
    ['a disabled button', actions(button({ disabled: true })), 'message', 'invalid additional property: disabled'],
    ['an unknown style', actions(button({ style: 'green' })), 'message', 'must be one of: primary, danger'],
    ['no actions', actions(), 'message', 'no less than 1 items allowed'],
    ['an action_id twice', actions(button(), button()), 'message', 'already exists for another interactive element'],
    [
      'a text field among actions',
      actions({ type: 'plain_text_input' }),
      'modal',
      'unsupported type: plain_text_input',
    ],
    ['a button as an input', input(button()), 'modal', 'unsupported type: button'],
    ['markdown in a modal', { type: 'markdown', text: 'm' }, 'modal', 'unsupported type: markdown'],
    ['an image of nothing', { type: 'image', alt_text: 'a' }, 'message', 'exactly one of these fields'],
    [
      'a first option of no list',
      actions(select({ initial_option: option(1) })),
      'message',
      'must be one of the options',
    ],
  ])('refuses %s', (_name, block, surface, wording) => {
    expect(problemsOf([block], surface).join()).toContain(wording);
  });

  it('refuses a block_id that is used twice in a message', () => {
    const two = [
      { type: 'divider', block_id: 'a' },
      { type: 'divider', block_id: 'a' },
    ];
    expect(problemsOf(two, 'message').join()).toContain('`block_id` `a` already exists');
  });

  it('limits the total text of a message but not of a view', () => {
    const long = times(5, () => section(x(2900)));
    expect(problemsOf(long, 'message')).toEqual(['msg_blocks_too_long']);
    expect(problemsOf(long, 'modal')).toEqual([]);
    expect(
      problemsOf(
        times(100, () => ({ type: 'divider' })),
        'home',
      ),
    ).toEqual([]);
    expect(
      problemsOf(
        times(101, () => ({ type: 'divider' })),
        'home',
      ),
    ).toHaveLength(1);
  });

  it('limits the fields of a view', () => {
    const modal = (more: object = {}) => ({ type: 'modal', title: plain('T'), blocks: [section('s')], ...more });
    expect(problemsOfView(modal({ title: plain(x(24)), private_metadata: x(3000) }))).toEqual([]);
    const wrong = { title: plain(x(25)), submit: plain(x(25)), private_metadata: x(3001), callback_id: x(256) };
    expect(problemsOfView(modal(wrong))).toHaveLength(4);
    expect(problemsOfView(modal({ blocks: [input({ type: 'plain_text_input' })] })).join()).toContain('submit');
    expect(problemsOfView({ type: 'home', blocks: [], title: plain('T') }).join()).toContain(
      'additional property: title',
    );
  });
});
