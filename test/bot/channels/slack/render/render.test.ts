// What becomes of a view in particular: headings, code, bars, small letters, buttons, files, words beside the blocks.
import { describe, expect, it } from 'vitest';
import { postOptions } from '../../../../../src/bot/channels/slack/outbound/carrier-calls.js';
import {
  type Block,
  type RenderedSlackMessage,
  renderView,
} from '../../../../../src/bot/channels/slack/render/index.js';
import { view } from '../../../../../src/bot/views/view.js';
import type { View } from '../../../../../src/store/messages/message-types.js';
import { linesOf, rendered } from './phone.js';

function message(text: string, patch: Partial<View> = {}): RenderedSlackMessage {
  const [first] = rendered({ ...view('answer', ''), text, ...patch });
  if (first?.kind !== 'message') throw new Error('the first part is no message');
  return first;
}

function drawn(text: string, patch: Partial<View> = {}): readonly (readonly [string, string])[] {
  return message(text, patch).blocks.map((block) => [block.type, linesOf(block).join('\n')]);
}

const go = [{ label: 'Go', press: 'i1-1.go' }];

describe('the numbers of a review', () => {
  const facts = '3 files +47 −0 · tests 42 of 42 ✓ · 16 min · $0.42';

  it('stand in two columns between the other words', () => {
    expect(drawn(`Review · Cart\nshop\n${facts}\nOpen questions:`, { kind: 'review', rings: true })).toEqual([
      ['header', '== Review · Cart =='],
      ['section', 'shop'],
      ['section', '3 files +47 −0  |  tests 42 of 42 ✓\n16 min  |  $0.42'],
      ['section', 'Open questions:'],
    ]);
  });

  it('stay words behind code, which an agent may have written', () => {
    const text = `Review · Cart\n\`\`\`\n${facts}\n\`\`\``;
    expect(drawn(text, { kind: 'review', rings: true })).toEqual([
      ['header', '== Review · Cart =='],
      ['rich_text', `│ ${facts}`],
    ]);
  });
});

it('a time is a date of rich text, which Slack shows in the zone of its reader, and ordinary words elsewhere', () => {
  const times = [{ text: '12:40', at: 1_795_178_400_000, hasDate: false }];
  const text = '✅ Approved · Cart\nshop\nby Ada, 12:40: “*all* fine”';
  const { blocks, plain } = message(text, { kind: 'review', times });
  const date = { type: 'date', timestamp: 1_795_178_400, format: '{time}', fallback: '12:40' };
  const words = [{ type: 'text', text: 'shop\nby Ada, ' }, date, { type: 'text', text: ': “*all* fine”' }];
  expect(blocks.at(-1)).toEqual({ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: words }] });
  expect(plain).toBe(text);
});

it('a time of another day is shown with its date', () => {
  const times = [{ text: 'Fri 20 Nov, 12:50', at: 1_795_179_000_000, hasDate: true }];
  const { blocks } = message('Snoozed until Fri 20 Nov, 12:50.', { times });
  expect(JSON.stringify(blocks)).toContain('"format":"{date_short}, {time}","fallback":"Fri 20 Nov, 12:50"');
});

describe('a heading', () => {
  it('is a header block when the view rings and bold text when it does not', () => {
    expect(drawn('Review: shop\nmore', { kind: 'review', rings: true })).toEqual([
      ['header', '== Review: shop =='],
      ['section', 'more'],
    ]);
    expect(drawn('shop: US-1 failed.\nmore', { kind: 'report' })).toEqual([
      ['rich_text', '**shop: US-1 failed.**'],
      ['section', 'more'],
    ]);
    expect(drawn('Which?\nmore')).toEqual([['section', 'Which?\nmore']]);
  });

  it('stays a header block while the card is open, even without ringing', () => {
    const card = { kind: 'review', buttons: go };
    expect(drawn('Review: shop\nmore', card)[0]).toEqual(['header', '== Review: shop ==']);
    expect(drawn('Review: shop\nmore', { kind: 'review' })[0]).toEqual(['rich_text', '**Review: shop**']);
  });

  it('too long for a header block is repeated in full below it', () => {
    const long = `shop is done: ${'x'.repeat(160)}`;
    const [[type], [, body = ''] = []] = drawn(long, { kind: 'report', rings: true }).map((one) => [...one]) as [
      string[],
      string[]?,
    ];
    expect([type, body.replaceAll('\n', ' ')]).toEqual(['header', long]);
  });
});

describe('a link to a page', () => {
  it('is a button without a value, after the others', () => {
    const link = { label: 'Page', url: 'https://bosun.example.org/runs/r1' };
    const actions = message('Review: shop', { kind: 'review', buttons: go, link }).blocks.at(-1);
    expect(actions).toMatchObject({ type: 'actions', elements: [{ value: 'p:i1-1.go' }, { url: link.url }] });
    expect(JSON.stringify(message('done', { link }).blocks)).toContain(link.url);
  });
});

describe('a text', () => {
  it('shows fenced code as code and keeps an unclosed fence', () => {
    expect(drawn('a\n```ts\nx < 1\n```\nb')).toEqual([
      ['section', 'a'],
      ['rich_text', '│ x < 1'],
      ['section', 'b'],
    ]);
    expect(drawn('a\n```ts\nx')).toEqual([['section', 'a\n```ts\nx']]);
  });

  it('longer than a section is split between lines, and before code rather than inside it', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index} ${'x'.repeat(40)}`);
    const { blocks } = message(`${lines(40).join('\n')}\n\`\`\`\n${lines(28).join('\n')}\n\`\`\``);
    expect(blocks.map((block) => block.type)).toEqual(['section', 'rich_text']);
    const two = message(lines(70).join('\n')).blocks.map((block) => linesOf(block).join(' '));
    expect(two.map((one) => /^line \d+ .*x$/.test(one))).toEqual([true, true]);
  });

  it('with more code than a message can hold keeps its fences', () => {
    const text = 'a\n```\nx\n```\n'.repeat(40).trim();
    expect(drawn(text).map(([type]) => type)).toEqual(['section']);
    expect(drawn(text)[0]?.[1]).toBe(text);
  });
});

describe('a card', () => {
  it('that is decided shows its outcome in small print', () => {
    expect(drawn('Review: shop\n✅ Approved by Ada, 12:40', { kind: 'review' })).toEqual([
      ['rich_text', '**Review: shop**'],
      ['context', '· ✅ Approved by Ada, 12:40'],
    ]);
    const long = 'x'.repeat(1_001);
    expect(drawn(`Review: shop\n${long}`, { kind: 'review' })[1]?.[0]).toBe('section');
  });

  it('shows its code in small print only when the code is at its end', () => {
    const card = { kind: 'review', rings: true, buttons: go };
    expect(drawn('Review: shop\nCode: i9-9\nmore\nCode: i1-1', card).slice(1, 3)).toEqual([
      ['section', 'Code: i9-9\nmore'],
      ['context', '· Code: i1-1'],
    ]);
  });

  it('of running work shortens its bar for a phone and shows place and cost in small print', () => {
    const text =
      'shop: executing impl (attempt 1 of 2)\n▸ npm test · 12 min\nstory 1 of 2, step 4 of 7\n✓ bdd  ✓ contract  ✓ review  ▶ impl  · refactor  · verify\n$0.42';
    expect(drawn(text, { kind: 'progress' }).slice(1)).toEqual([
      ['section', '▸ npm test · 12 min\n✓ 3 done  ▶ impl  · refactor  · verify'],
      ['context', '· story 1 of 2, step 4 of 7 · $0.42'],
    ]);
    expect(drawn('shop: impl failing\n$1.00\n$1.00\n$1.00', { kind: 'progress' }).slice(1)).toEqual([
      ['section', '$1.00'],
      ['context', '· $1.00 · $1.00'],
    ]);
  });
});

describe('buttons', () => {
  const rows = (labels: readonly string[], press = (index: number) => `i1-1.${index}`) =>
    message('x', { buttons: labels.map((label, index) => ({ label, press: press(index) })) }).blocks.flatMap((block) =>
      block.type === 'actions' ? [block.elements] : [],
    );
  const labels = (count: number) => Array.from({ length: count }, (_, index) => `b${index}`);

  it('are laid out in even rows of at most five, each with its own action id', () => {
    expect([3, 5, 6, 11].map((count) => rows(labels(count)).map((row) => row.length))).toEqual([
      [3],
      [5],
      [3, 3],
      [4, 4, 3],
    ]);
    const actions = rows(labels(25)).flatMap((row) => row.map((one) => ('action_id' in one ? one.action_id : '')));
    expect([actions[0], actions[24], new Set(actions).size]).toEqual(['press:0', 'press:24', 25]);
  });

  it('carry their press id, which must be 1 to 64 bytes', () => {
    const [button] = message('x', { buttons: go }).blocks.flatMap((one) =>
      one.type === 'actions' ? one.elements : [],
    );
    expect(button).toEqual({
      ...{ type: 'button', action_id: 'press:0', value: 'p:i1-1.go', style: 'primary' },
      text: { type: 'plain_text', text: 'Go', emoji: false },
    });
    const given = { ...view('answer', 'x'), buttons: go };
    for (const id of ['', 'x'.repeat(65)]) {
      expect(() => renderView(given, () => id)).toThrow(`a press id of ${id.length} bytes: must be 1 to 64`);
    }
  });

  it('are green for the first option that continues, red for the one that ends, and plain for offers', () => {
    const looks = (...presses: readonly string[]) =>
      rows(presses, (index) => presses[index] ?? '').flatMap((row) =>
        row.map((one) => ('style' in one ? one.style : undefined)),
      );
    expect(looks('i1-1.approve', 'i1-1.changes', 'i1-1.reject')).toEqual(['primary', undefined, 'danger']);
    expect(looks('i1-1.once', 'i1-1.run', 'i1-1.deny')).toEqual(['primary', undefined, 'danger']);
    expect(looks('i1-1.start', 'i1-1.go', 'i1-1.abort')).toEqual(['primary', undefined, 'danger']);
    expect(looks('.0', 'm27.1', 'x.approve')).toEqual([undefined, undefined, undefined]);
  });

  it('ask in a dialog before work is rejected, discarded or aborted, unless a card asks about the abort', () => {
    const dialogs = (...presses: readonly string[]) =>
      rows(presses, (index) => presses[index] ?? '').flatMap((row) =>
        row.map((one) => ('confirm' in one ? one.confirm?.confirm?.text : undefined)),
      );
    expect(dialogs('i1-1.approve', 'i1-1.reject')).toEqual([undefined, 'Reject']);
    expect(dialogs('i1-1.discard', 'i1-1.leave', 'i1-1.abort')).toEqual(['Discard', undefined, 'Abort']);
    const { blocks } = message('x', { buttons: [{ label: 'Abort it', press: 'i1-2.abort' }] });
    expect(JSON.stringify(blocks)).not.toContain('Abort this task?');
  });

  it('are limited to 25, with a note of how many are left out', () => {
    const { blocks } = message('x', { buttons: labels(30).map((label) => ({ label, press: `m1.${label}` })) });
    expect(linesOf(blocks.at(-1) as Block)).toEqual(['· … and 5 more: say it in words']);
    expect(rows(labels(30)).flat()).toHaveLength(25);
  });

  it('have one-line labels, cut between characters and never empty', () => {
    const [row = []] = rows([`a\n\tb${'é'.repeat(80)}`, ' \u200b ', '\ud83c', `x${'\u0301'.repeat(5_000)}`]);
    const texts = row.map((one) => (one.type === 'button' ? one.text.text : ''));
    expect(texts.slice(0, 3)).toEqual([`a b${'é'.repeat(45)}…${'é'.repeat(24)}`, '…', '\ufffd']);
    expect(texts[3]?.length).toBeLessThanOrEqual(75);
  });

  it('leave out words in the middle of a long label, so that two of the same beginning differ', () => {
    const task = 'Show Review · Customers can undo a cancelled order within 30 seconds of their last';
    const [row = []] = rows([`${task} payment by card`, `${task} payment by invoice`, 'Show Review · Short']);
    expect(row.map((one) => (one.type === 'button' ? one.text.text : ''))).toEqual([
      'Show Review · Customers can undo a cancelled … last payment by card',
      'Show Review · Customers can undo a cancelled … last payment by invoice',
      'Show Review · Short',
    ]);
  });
});

describe('the fallback text', () => {
  it('names the subject and the start of the question within 150 characters', () => {
    const card = { kind: 'question', rings: true, buttons: go };
    expect(message('Question: shop bdd\n```\nWhich <colour>?\n```\nmore', card).text).toBe(
      'Question: shop bdd · Which &lt;colour&gt;?',
    );
    expect(message('shop: executing impl\n▸ npm test', { kind: 'progress' }).text).toBe('shop: executing impl');
    expect(message(`a ${'long '.repeat(100)}`).text).toHaveLength(150);
  });

  it('replaces rejected blocks and lists the buttons of a card as words', () => {
    const buttons = [...go, { label: 'Request <changes>', press: 'i1-1.changes' }];
    expect(message('Review: a & b\n```\nx\n```\nCode: i1-1', { kind: 'review', rings: true, buttons }).plain).toBe(
      'Review: a &amp; b\nx\nCode: i1-1\nAnswer with one of: Go · Request &lt;changes&gt;',
    );
    expect(message('a & b', { buttons }).plain).toBe('a &amp; b');
  });

  it('is sent as plain text without link previews', () => {
    expect(postOptions).toEqual({
      ...{ parse: 'none', link_names: false },
      ...{ mrkdwn: false, unfurl_links: false, unfurl_media: false },
    });
  });
});

it('the file of a view follows its message under a sanitized name', () => {
  const [, file] = rendered({
    ...view('answer', 'see'),
    file: { name: '../.ssh/a"b.diff', text: 'é' },
  });
  expect(file).toEqual({ kind: 'file', name: 'a_b.diff', title: 'a_b.diff', bytes: Buffer.from('é') });
});
