import { describe, expect, it } from 'vitest';
import { parseHtml } from './html.js';

function readOrWhy(source: string): string {
  try {
    const { text, entities } = parseHtml(source);
    const marks = entities.map(
      (one) => `${one.type}@${one.offset}+${one.length}${one.language ? ` ${one.language}` : ''}`,
    );
    return [JSON.stringify(text), ...marks].join(' ');
  } catch (error) {
    return error instanceof Error ? error.message.replace("Bad Request: can't parse entities: ", '') : String(error);
  }
}

describe("the fake Telegram's HTML parser", () => {
  it.each([
    ['plain & <b>bold</b>', '"plain & bold" bold@8+4'],
    ['<b>a<i>b</i></b>', '"ab" bold@0+2 italic@1+1'],
    ['🎉<b>x</b>', '"🎉x" bold@2+1'],
    ['&lt;b&gt; &amp; &quot;q&quot; &#39;&#x1F389;', '"<b> & \\"q\\" \'🎉"'],
    ['&apos; &nbsp; &unknown;', '"&apos; &nbsp; &unknown;"'],
    ['<pre><code class="language-ts">let a</code></pre>', '"let a" pre@0+5 ts'],
    ['<a href="https://x.example/?a=1&amp;b">l</a>', '"l" text_link@0+1'],
    ['<B>x</b>', '"x" bold@0+1'],
    ['<b>x</>', '"x" bold@0+1'],
    ['<b></b>y', '"y"'],
    ['<tg-spoiler>x</tg-spoiler><span class="tg-spoiler">y</span>', '"xy" spoiler@0+1 spoiler@1+1'],
  ])('reads %s as %s', (source, read) => {
    expect(readOrWhy(source)).toBe(read);
  });

  it.each([
    ['<b>x', `Can't find end tag corresponding to start tag "b"`],
    ['x</b>', 'Unexpected end tag at byte offset 1'],
    ['é</b>', 'Unexpected end tag at byte offset 2'],
    ['<b><i>x</b></i>', 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'],
    ['<div>x</div>', 'Unsupported start tag "div" at byte offset 0'],
    ['a < b', 'Unsupported start tag "" at byte offset 2'],
    ['a <', 'Unclosed start tag at byte offset 2'],
    ['Array<string>', 'Unsupported start tag "string" at byte offset 5'],
    ['<b', 'Unclosed start tag at byte offset 0'],
    ['<b x', 'Unclosed start tag "b" at byte offset 0'],
    ['<b>x</b', 'Unclosed end tag at byte offset 4'],
    ['<span>x</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
    ['<b ="1">x</b>', 'Empty attribute name in the tag "b" at byte offset 3'],
    ['<br>', 'Unsupported start tag "br" at byte offset 0'],
  ])('rejects %s: %s', (source, why) => {
    expect(readOrWhy(source)).toBe(why);
  });
});
