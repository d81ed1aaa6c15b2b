// Agents' Markdown on Telegram and Slack: rendered in the platform's own looks, and nothing in it acts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderView as renderSlack } from '../../../src/bot/channels/slack/render/index.js';
import { renderView as renderTelegram } from '../../../src/bot/channels/telegram/render/index.js';
import { inert, markdownRuns } from '../../../src/bot/render/index.js';
import { view } from '../../../src/bot/views/view.js';
import type { View } from '../../../src/store/messages/message-types.js';
import { parseHtml } from '../channels/telegram/server/index.js';

const pressId = () => 'p';
const agents = (text: string, before = 'Review · cart\nshop\n'): View => ({
  ...view('review', `${before}${text}\nCode i1-1`),
  markdown: [text],
});
const shown = (text: string) => markdownRuns(text).map(({ look, text: said }) => `${look[0]}:${said}`);
const html = (text: string) => renderTelegram(agents(text), pressId).parts.map((part) => part.html);
const bare = (text: string) => text.replaceAll('\u2060', '');

it.each([
  ['# Done\nIt **works**, *really*.', ['b:Done', 'p:\nIt ', 'b:works', 'p:, ', 'i:really', 'p:.']],
  ['use `a_b` and snake_case_name', ['p:use ', 'm:a_b', 'p: and snake_case_name']],
  ['- one\n- **two**\n  1. three', ['p:• one\n• ', 'b:two', 'p:\n  1. three']],
  ['- [x] done\n- [ ] open', ['p:☑ done\n☐ open']],
  ['> said\n> twice', ['p:> said\n> twice']],
  ['~~old~~ new', ['s:old', 'p: new']],
  ['```ts\na < b\n```', ['c:a < b']],
  ['~~~~ end', ['p:~~~~ end']],
  ['~~~ two words\na < b', ['p:two words\n', 'c:a < b']],
  ['[good](https://evil.example)', ['p:good (https://evil.example)']],
  ['![shot](a.png) <b>x</b> &amp;', ['p:shot (a.png) <b>x</b> &amp;']],
  ['| a | b |\n|---|---|\n| 1 | 2 |', ['p:| a | b |\n|---|---|\n| 1 | 2 |']],
  ['2 * 3 * 4, *.ts and a\\*b', ['p:2 * 3 * 4, *.ts and a*b']],
])('%j becomes runs of one look', (text, runs) => {
  expect(shown(text)).toEqual(runs);
});

it('only what an agent wrote is rendered, on both platforms', () => {
  const said = agents('It **works** with `npm test`.', 'Review · **not bold**\nshop\n');
  const telegram = renderTelegram(said, pressId).parts[0];
  expect(bare(telegram?.html ?? '')).toContain('**not bold**');
  expect(bare(telegram?.html ?? '')).toContain('It <b>works</b> with <code>npm test</code>.');
  const [slack] = renderSlack(said, pressId);
  const blocks = slack?.kind === 'message' ? slack.blocks : [];
  const told = JSON.stringify(blocks).replaceAll('\\u2060', '');
  expect(told).toContain('{"type":"text","text":"works","style":{"bold":true}}');
  expect(told).toContain('{"type":"text","text":"npm test","style":{"code":true}}');
  expect(told).toContain('Review · **not bold**');
});

describe('nothing in it acts', () => {
  it.each([
    '/start',
    '/**start**',
    '@**channel**',
    '**@**here',
    'exam*ple.com*',
    '**https:**//evil.example',
    '[x](tg://user?id=1)',
    '<a href="https://evil.example">x</a>',
    '<https://evil.example>',
    '/`start`',
  ])('%j', (text) => {
    const [first = ''] = html(text);
    const { text: seen, entities } = parseHtml(first);
    const codes = entities.filter(({ type }) => type === 'code' || type === 'pre');
    const free = [...seen].map((one, at) =>
      codes.some((c) => at >= c.offset && at < c.offset + c.length) ? ' ' : one,
    );
    expect(entities.filter(({ type }) => !/^(bold|italic|strikethrough|code|pre)$/.test(type))).toEqual([]);
    expect(inert(free.join(''))).toBe(free.join(''));
    const slack = renderSlack(agents(text), pressId)[0];
    expect(JSON.stringify(slack)).not.toMatch(/"type":"(?:link|user|usergroup|broadcast|channel)"|"mrkdwn"/);
  });
});

it('whatever is written, Telegram gets whole markup within its limits, and no word is lost', () => {
  const sign = fc.constantFrom(
    '**',
    '*',
    '_',
    '`',
    '```\n',
    '~~',
    '# ',
    '- ',
    '1. ',
    '> ',
    '\n',
    '\n\n',
    '[',
    '](',
    ')',
    '<b>',
    '&',
    '|',
    '\\',
    '    ',
  );
  const text = fc.array(fc.oneof(sign, fc.constantFrom('word', '/cmd', '@all', 'a.com', '🎉', ' ')), { maxLength: 80 });
  fc.assert(
    fc.property(text, (pieces) => {
      const written = pieces.join('');
      for (const part of html(`begin ${written} end`)) {
        const { text: seen, entities } = parseHtml(part);
        expect(entities.length).toBeLessThanOrEqual(100);
        expect(seen.length).toBeLessThanOrEqual(4_096);
      }
      const words = (one: string) => (one.match(/word|begin|end|🎉/gu) ?? []).length;
      expect(words(html(`begin ${written} end`).join(''))).toBeGreaterThanOrEqual(words(`begin ${written} end`));
    }),
    { numRuns: 300 },
  );
});
