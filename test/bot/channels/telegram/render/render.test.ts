// What becomes of a view in particular: parts, code, bars, buttons, documents, and that the platform takes it all.
import { type Api, InputFile } from 'grammy';
import { describe, expect, it } from 'vitest';
import { editOptions, sendOptions } from '../../../../../src/bot/channels/telegram/outbound/carrier.js';
import { type Rendered, renderView } from '../../../../../src/bot/channels/telegram/render/index.js';
import { safeFileName } from '../../../../../src/bot/render/file-name.js';
import { view } from '../../../../../src/bot/views/view.js';
import type { View } from '../../../../../src/store/messages/message-types.js';
import { given, refusalOf } from '../server/given.js';
import { rendered } from './phone.js';

function answer(text: string, patch: Partial<View> = {}): Rendered {
  return rendered({ ...view('answer', ''), text, ...patch });
}

function htmlOf(text: string, kind = 'answer'): readonly string[] {
  return answer(text, { kind }).parts.map((part) => part.html);
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index} ${'x'.repeat(40)}`).join('\n');
}

describe('a text', () => {
  it('is escaped and never becomes markup', () => {
    expect(htmlOf('<b>a</b> & "b" &lt;')).toEqual(['&lt;b&gt;a&lt;/b&gt; &amp; &quot;b&quot; &amp;lt;']);
  });

  it('has its times as moments, which the app shows in the zone of its reader, except in code', () => {
    const times = [
      { text: '12:40', at: 1_795_178_400_000, hasDate: false },
      { text: 'Fri 20 Nov, 12:50', at: 1_795_179_000_000, hasDate: true },
    ];
    const text = 'by Ada, 12:40\n```\n12:40\n```\nuntil Fri 20 Nov, 12:50';
    expect(answer(text, { times }).parts).toMatchObject([
      {
        html: 'by Ada, <tg-time unix="1795178400" format="t">12:40</tg-time>\n<pre>12:40</pre>\nuntil <tg-time unix="1795179000" format="wdt">Fri 20 Nov, 12:50</tg-time>',
        plain: 'by Ada, 12:40\n12:40\nuntil Fri 20 Nov, 12:50',
      },
    ]);
  });

  it('keeps a time that an agent wrote as code', () => {
    const times = [{ text: '12:40', at: 1_795_178_400_000, hasDate: false }];
    expect(answer('at `12:40`', { times, markdown: ['at `12:40`'] }).parts[0]?.html).toBe('at <code>12:40</code>');
  });

  it('has at most forty moments, because Telegram applies no more than a hundred entities', () => {
    const at = Array.from({ length: 60 }, (_, minute) => `11:${String(minute).padStart(2, '0')}`);
    const times = at.map((text, index) => ({ text, at: 1_795_174_800_000 + index * 60_000, hasDate: false }));
    const [part] = answer(at.join('\n'), { times }).parts;
    expect(part?.html.match(/<tg-time /g)).toHaveLength(40);
    expect(part?.html).toContain('11:59');
  });

  it('has a bold first line on a card, unless it is the only line or too long for a heading', () => {
    expect(htmlOf('Review: <shop>\nmore', 'review')).toEqual(['<b>Review: &lt;shop&gt;</b>\nmore']);
    expect(htmlOf('all there is', 'report')).toEqual(['all there is']);
    expect(htmlOf(`${'x'.repeat(201)}\ny`, 'report')).toEqual([`${'x'.repeat(201)}\ny`]);
    expect(htmlOf('Which?\nmore')).toEqual(['Which?\nmore']);
  });

  it('shows fenced code as code with its language', () => {
    expect(htmlOf('a\n```ts\nx < 1\n```\nb\n```\ny\n```')).toEqual([
      'a\n<pre><code class="language-ts">x &lt; 1</code></pre>\nb\n<pre>y</pre>',
    ]);
  });

  it.each([
    ['Tap /continue or (/skip).', 'Tap /_continue or (/_skip).'],
    ['@ada, mail eve@shop.example', '@_ada, mail eve@_shop._example'],
    ['evil.example and 127.0.0.1 and README.md', 'evil._example and 127._0._0._1 and README._md'],
    ['tg://resolve?domain=x', 'tg:_//resolve?domain=x'],
    [
      'see https://evil.example/x?a=1&b=2. Or (http://a.io)',
      'see <code>https://evil.example/x?a=1&amp;b=2</code>. Or (<code>http://a.io</code>)',
    ],
    ['src/cart.ts, config.yaml, 1.25 s, and/or 3/4', 'src/cart.ts, config.yaml, 1.25 s, and/or 3/4'],
    ['```\n/usr/bin/curl https://evil.example @x\n```', '<pre>/usr/bin/curl https://evil.example @x</pre>'],
  ])('like %j contains nothing tappable outside code', (text, html) => {
    expect(htmlOf(text)).toEqual([html.replaceAll('_', '\u2060')]);
    // An address as code is copied by a tap and opens nothing; plain text has no code.
    const [part] = answer(text).parts;
    if (!text.startsWith('```')) expect(part?.plain).not.toMatch(/:\/\/|(?<![\w/])\/\w|@\w|\.example|\.io/);
    // A card's heading is bold, and as little to tap.
    const [heading] = htmlOf(`${text.replaceAll('`', '')}\nmore`, 'review');
    expect(heading).not.toMatch(/:\/\/\w|(?<![\w</])\/\w|@\w|\.example|\.io/);
  });

  it('of many addresses stays within the entity limit and links none of them', () => {
    const html = htmlOf('https://a.io '.repeat(200)).join('');
    expect(html.match(/<code>/g)).toHaveLength(40);
    expect(html.match(/https:\u2060\/\/a\.\u2060io/g)).toHaveLength(160);
  });

  it('keeps a fence that is unclosed or empty', () => {
    expect(htmlOf('a\n```ts\nx')).toEqual(['a\n```ts\nx']);
    expect(htmlOf('a\n```\n```\nb')).toEqual(['a\n```\n```\nb']);
  });

  it('loses secrets, control characters and tabs, and is never empty', () => {
    expect(htmlOf(`key ghp_${'a'.repeat(36)}\tx\u0007\u202e`)).toEqual(['key [redacted]  x']);
    expect(htmlOf(' \u200b\n\u2800')).toEqual(['…']);
  });

  it('is split between lines, with the buttons and the ring on the last part', () => {
    const { parts } = answer(lines(150), { rings: true, buttons: [{ label: 'Go', press: 'i1-1.go' }] });
    expect(parts.map((part) => [part.plain.endsWith('x\n'), part.isSilent, part.keyboard.length])).toEqual([
      [true, true, 0],
      [false, false, 1],
    ]);
    expect(parts.map((part) => part.plain).join('')).toBe(lines(150));
  });

  it('is split before code, and code longer than a part is closed and reopened', () => {
    const code = lines(60);
    const [before, inside] = htmlOf(`${lines(30)}\n\`\`\`\n${code}\n\`\`\`\nafter`);
    expect(before).not.toContain('<pre>');
    expect(inside).toBe(`<pre>${code}</pre>\nafter`);
    const long = htmlOf(`\`\`\`\n${lines(120)}\n\`\`\``);
    expect(long.map((html) => /^<pre>line [\s\S]*<\/pre>$/.test(html))).toEqual([true, true]);
  });

  it('is never split inside a character, an emoji family or a word', () => {
    const family = '👨‍👩‍👧‍👦';
    for (const part of answer(family.repeat(500)).parts) expect(part.plain.length % family.length).toBe(0);
    for (const part of answer('word '.repeat(1_500)).parts) expect(part.plain).toMatch(/^word .*word ?$/);
  });

  it('of more than three parts is sent as a document with its beginning shown', () => {
    const { parts, documents } = answer(lines(400), { kind: 'log' });
    expect(parts).toHaveLength(1);
    expect(parts[0]?.plain).toMatch(/^line 0 [\s\S]*x\n… \(the whole is in the file\)$/);
    expect(documents).toEqual([{ name: 'log.txt', bytes: Buffer.from(lines(400)) }]);
  });

  it('brings the file of its view under a safe name', () => {
    const { documents } = answer('see', { file: { name: '../.ssh/a"b;c\n.diff', text: 'é\ud800' } });
    expect(documents).toEqual([{ name: 'a_b_c_.diff', bytes: Buffer.from('é\ufffd') }]);
  });
});

describe('the bar of a chain', () => {
  it.each([
    ['✓ bdd  ▶ impl  · verify', '✓ bdd  ▶ impl  · verify'],
    ['✓ bdd  ✓ contract  ✓ review  ▶ impl  · refactor  · verify', '✓ 3 done  ▶ impl  · refactor  · verify'],
    ['✓ 4 steps  ✓ a-long-step  ✓ another-one  ▶ stories 1/3  · 5 more', '✓ 6 done  ▶ stories 1/3  · 5 more'],
    [
      '✓ 4 steps  ✓ one  ▶ a-rather-long-name-of-a-step-too  · next  · 5 more',
      '✓ 5 done  ▶ a-rather-long-name-of-a-ste…',
    ],
    ['✓ a-step-that-is-done  ✓ b-step-that-is-done', '✓ 1 done  ✓ b-step-that-is-done'],
    ['✓ no bar at all', '✓ no bar at all'],
  ])('%s is shortened to fit the line of a phone: %s', (bar, shown) => {
    expect(htmlOf(`head\n${bar}\n$1.25`, 'progress')).toEqual([`<b>head</b>\n${shown}\n$1.25`]);
  });
});

describe('buttons', () => {
  const rows = (labels: readonly string[]) =>
    answer('x', { buttons: labels.map((label, index) => ({ label, press: `i1-1.${index}` })) }).parts[0]?.keyboard.map(
      (row) => row.map((one) => one.text),
    );

  it('share a row when a phone has room for their labels', () => {
    expect(rows(['Approve', 'Reject', 'Ask'])).toEqual([['Approve', 'Reject', 'Ask']]);
    expect(rows(['Retry', 'Skip', 'Rollback', 'Abort'])).toEqual([
      ['Retry', 'Skip'],
      ['Rollback', 'Abort'],
    ]);
    expect(rows(['Approve', 'Request changes', 'Reject'])).toEqual([['Approve', 'Request changes'], ['Reject']]);
    expect(rows(['Allow for the whole of this run', 'No'])).toEqual([['Allow for the whole of this run'], ['No']]);
  });

  it('have one-line labels, cut between characters and never empty', () => {
    expect(rows([`a\n\tb${'é'.repeat(80)}`])).toEqual([[`a b${'é'.repeat(35)}…${'é'.repeat(19)}`]]);
    expect(rows([' \u200b ', '\ud83c'])).toEqual([['…', '\ufffd']]);
    const zalgo = rows([`x${'\u0301'.repeat(5_000)}`])?.[0]?.[0] ?? '';
    expect(zalgo.length).toBeLessThanOrEqual(256);
  });

  it('are limited to 100 and carry a press id of at most 64 bytes', () => {
    const many = Array.from({ length: 120 }, (_, index) => ({
      label: `a rather long label ${index}`,
      press: `m1.${index}`,
    }));
    const { parts } = answer('x', { buttons: many });
    expect(parts[0]?.keyboard.flat()).toHaveLength(100);
    expect(parts[0]?.keyboard[7]).toEqual([{ text: 'a rather long label 7', callback_data: 'p:m1.7' }]);
    const tooLong = () => renderView({ ...view('answer', 'x'), buttons: many }, () => 'x'.repeat(65));
    expect(tooLong).toThrow('a press id of 65 bytes: must be 1 to 64');
  });
});

describe('the send options of a part', () => {
  it('choose HTML or plain text, disable link previews, and notify only if the view rings', () => {
    const [part] = answer('x <', { buttons: [{ label: 'Go', press: 'i1-1.go' }], rings: true }).parts;
    if (!part) throw new Error('nothing is shown');
    const reply_markup = { inline_keyboard: [[{ text: 'Go', callback_data: 'p:i1-1.go' }]] };
    const link_preview_options = { is_disabled: true };
    expect(sendOptions(part, 'html')).toEqual({
      parse_mode: 'HTML',
      reply_markup,
      link_preview_options,
      disable_notification: false,
    });
    expect(editOptions(part, 'plain')).toEqual({ reply_markup, link_preview_options });
  });

  it('force a reply on request, and an edit without buttons removes the old ones', () => {
    const [part] = answer('Which?').parts;
    if (!part) throw new Error('nothing is shown');
    expect(sendOptions(part, 'html', true).reply_markup).toEqual({ force_reply: true, selective: true });
    expect(sendOptions(part, 'html').reply_markup).toBeUndefined();
    expect(editOptions(part, 'html').reply_markup).toEqual({ inline_keyboard: [] });
  });
});

describe('a file name', () => {
  it.each([
    ['run.log', 'run.log'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\a.txt', 'a.txt'],
    ['.env', 'env'],
    ['a"; filename=evil.exe', 'a_ filename_evil.exe'],
    ['Größe 你好.md', 'Größe 你好.md'],
    ['a\u202etxt.exe', 'a_txt.exe'],
    ['', 'file.txt'],
    ['...', 'file.txt'],
    [`${'x'.repeat(300)}.diff`, `${'x'.repeat(55)}.diff`],
  ])('%j becomes %j', (name, safe) => {
    expect(safeFileName(name)).toBe(safe);
  });
});

describe('the fake Telegram', () => {
  async function send(api: Api, { parts, documents }: Rendered, as: 'html' | 'plain'): Promise<readonly string[]> {
    const came: string[] = [];
    for (const part of parts) {
      const { reply_markup, ...options } = sendOptions(part, as);
      const markup = part.keyboard.map((row) => row.map((one) => ({ ...one })));
      const call = api.sendMessage(1000, part[as], {
        ...options,
        ...(reply_markup ? { reply_markup: { inline_keyboard: markup } } : {}),
      });
      came.push(await refusalOf(call));
    }
    for (const { name, bytes } of documents) {
      came.push(await refusalOf(api.sendDocument(1000, new InputFile(bytes, name), { disable_notification: true })));
    }
    return came;
  }

  it('accepts every part as HTML and as plain text and shows both alike', async () => {
    const { api, telegram, ada } = await given();
    const text = `head <b>\n\`\`\`ts\n${lines(90)}\n\`\`\`\n& tail ${'🎉'.repeat(2_000)}`;
    const shown = answer(text, { buttons: [{ label: 'Go', press: 'i1-1.go' }], file: { name: 'a;b.txt', text: 'x' } });
    expect(new Set([...(await send(api, shown, 'html')), ...(await send(api, shown, 'plain'))])).toEqual(
      new Set(['taken']),
    );
    const all = telegram.screen(ada.chat).map(({ text, file, buttons }) => ({ text, file, buttons }));
    expect(all.slice(0, all.length / 2)).toEqual(all.slice(all.length / 2));
    expect(all.at(-1)?.file).toBe('a_b.txt');
  });
});
