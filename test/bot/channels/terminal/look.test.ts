import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fitBar, isBar } from '../../../../src/bot/channels/terminal/display.js';
import { Display, openScreen, paintFor } from '../../../../src/bot/channels/terminal/index.js';
import { columnsOf, cut, wrap } from '../../../../src/bot/render/columns.js';
import type { Message } from '../../../../src/store/messages/message-types.js';
import { VirtualTerminal } from './virtual-terminal.js';

const bare = { width: null, curtain: null };
const whole = '✓ bdd  ✓ sdd-delta  ✓ contract  ✓ review  ✓ scaffold  ▶ impl  · verify  · update-memory';

describe('a progress bar', () => {
  it.each([
    [100, whole],
    [80, '✓ 5 done  ▶ impl  · verify  · update-memory'],
    [30, '✓ 5 done  ▶ impl  · 2 more'],
    [20, '✓ 5 done  ▶ impl  ·…'],
  ])('of %i columns keeps the running step', (width, expected) => {
    expect(fitBar(whole, width)).toBe(expected);
  });

  it('is distinguished from a sentence', () => {
    expect(isBar(whole)).toBe(true);
    expect(isBar('demo: executing bdd  (attempt 1)')).toBe(false);
    expect(isBar('▶ alone')).toBe(false);
  });
});

describe('terminal text layout', () => {
  it.each([
    ['plain', 5],
    ['✓ ok', 4],
    ['日本', 4],
    ['✅', 2],
    ['e\u0301', 1],
  ])('counts %s as %i columns', (text, expected) => {
    expect(columnsOf(text)).toBe(expected);
  });

  it('cuts text to the width, even with wide characters', () => {
    for (const width of [2, 5, 9]) expect(columnsOf(cut('日本語 and more', width))).toBeLessThanOrEqual(width);
  });

  it('wraps between words with a hanging indent', () => {
    expect(wrap('… demo: one two three four', 15)).toEqual(['… demo: one two', '  three four']);
    expect(wrap('  https://example.org/a/long/address x', 10)).toEqual(['  https://example.org/a/long/address', '  x']);
  });
});

function posting(display: Display) {
  let number = 0;
  return (kind: string, text: string, more: Partial<Message> = {}) => {
    number += 1;
    const view = { kind, text, buttons: [], offers: [], rings: false, file: null };
    const base = { edits: null, thread: 'local', run: 'r1', interaction: null, card: null, at: 0 };
    display.show({ id: `m${number}`, ...base, view, ...more }, []);
  };
}

function given(columns: number) {
  const terminal = new VirtualTerminal(columns);
  return { terminal, post: posting(new Display(openScreen({ ...bare, output: terminal }), paintFor(false))) };
}

describe('an edit of a card without buttons', () => {
  it('is one line, and none if it repeats the title of the newest message', () => {
    const { terminal, post } = given(80);
    post('confirm', 'Start? · Make it\nshop');
    post('confirm', '✅ Started · Make it\nshop\nby Ada', { edits: 'm1' });
    post('report', '✅ Done · Make it\nshop is done');
    post('confirm', '✅ Done · Make it\nshop\nStarted by Ada', { edits: 'm1' });
    expect(terminal.text.split('\n')).toEqual([
      ...['· Start? · Make it', '  shop', '  ✅ Started · Make it · by Ada', '· ✅ Done · Make it', '  shop is done'],
    ]);
  });
});

describe('an edit of the newest card', () => {
  it('is printed although it has the same title, because it tells what came of it', () => {
    const { terminal, post } = given(80);
    post('report', '⏹ Aborted · Make it\nshop');
    post('choice', '⏹ Aborted · Make it\nshop\nDiscard · by Ada', { edits: 'm1' });
    post('report', '⏹ Aborted · Make it\nshop\nThe diff is kept.', { edits: 'm1' });
    expect(terminal.text.split('\n').slice(2)).toEqual([
      ...['  ⏹ Aborted · Make it · Discard · by Ada', '  ⏹ Aborted · Make it · The diff is kept.'],
    ]);
  });
});

describe('progress', () => {
  const executing = (step: string, bar: string) => `demo: executing US-001 ${step} (attempt 1)\n${bar}`;

  it('is redrawn in place and leaves one line for each finished step', () => {
    const { terminal, post } = given(80);
    post('progress', executing('bdd', '▶ bdd  · impl'));
    post('progress', `demo: US-001 bdd complete, entering impl\n✓ bdd  ▶ impl`, { edits: 'm1' });
    post('progress', executing('impl', '✓ bdd  ▶ impl'), { edits: 'm1' });
    expect(terminal.text.split('\n')).toEqual([
      '… demo: US-001 bdd complete, entering impl',
      '▶ demo: executing US-001 impl (attempt 1)',
      '  ✓ bdd  ▶ impl',
    ]);
  });

  it('is redrawn below messages that came between', () => {
    const { terminal, post } = given(80);
    post('progress', executing('bdd', '▶ bdd  · impl'));
    post('answer', 'You are Ada.');
    post('progress', executing('impl', '✓ bdd  ▶ impl'), { edits: 'm1' });
    expect(terminal.text.split('\n')).toEqual([
      '▶ demo: executing US-001 bdd (attempt 1)',
      '  ▶ bdd  · impl',
      '· You are Ada.',
      '▶ demo: executing US-001 impl (attempt 1)',
      '  ✓ bdd  ▶ impl',
    ]);
  });

  it.each([20, 40, 80])('never fills a row of %i columns, so that it can be redrawn in place', (columns) => {
    const { terminal, post } = given(columns);
    for (let time = 0; time < 3; time += 1) post('progress', executing('a-step-with-a-long-name', whole));
    expect(terminal.lines.slice(0, -1)).toHaveLength(2);
    for (const line of terminal.lines) expect(columnsOf(line)).toBeLessThan(columns);
  });
});

describe('progress in a file or a pipe', () => {
  it('prints one line per event, without bars and without queued states', () => {
    const output = new PassThrough({ encoding: 'utf8' });
    const show = posting(new Display(openScreen({ ...bare, output }), paintFor(false)));
    show('progress', 'demo: executing US-001 bdd (attempt 1), queued\n▶ bdd  · impl');
    show('progress', 'demo: executing US-001 bdd (attempt 1)\n▶ bdd  · impl\n$0.41', { edits: 'm1' });
    show('progress', 'demo: US-001 bdd complete, entering impl\n✓ bdd  ▶ impl', { edits: 'm1' });
    expect(output.read()).toBe(
      '… demo: executing US-001 bdd (attempt 1) · $0.41\n… demo: US-001 bdd complete, entering impl\n',
    );
  });
});

describe('progress of running work', () => {
  const text =
    'demo: executing US-001 bdd (attempt 1 of 3)\n▸ editing cart.ts · 2 min\nstory 1 of 2\n▶ bdd  · impl\n$0.41';

  it('shows the current action and the cost on its line', () => {
    const output = new PassThrough({ encoding: 'utf8' });
    posting(new Display(openScreen({ ...bare, output }), paintFor(false)))('progress', text);
    expect(output.read()).toBe('… demo: executing US-001 bdd (attempt 1 of 3) · ▸ editing cart.ts · 2 min · $0.41\n');
  });
});

describe('progress on a narrow terminal', () => {
  it('puts the current action on its own line and is still redrawn in place', () => {
    const { terminal, post } = given(50);
    const at = (doing: string) =>
      `shop: executing implement (attempt 1 of 3)\n▸ ${doing} · 2 min\n▶ implement  · review\n$0.41`;
    post('progress', at('reading cart.ts'));
    post('progress', at('editing cart.ts'), { edits: 'm1' });
    expect(terminal.text.split('\n')).toEqual([
      '▶ shop: executing implement (attempt 1 of 3)',
      '  ▸ editing cart.ts · 2 min · $0.41',
      '  ▶ implement  · review',
    ]);
  });
});

describe('a message', () => {
  it('that rings is marked and follows an empty line', () => {
    const { terminal, post } = given(80);
    post('answer', 'Nothing needs you.');
    post('report', 'demo: US-001 done', {
      view: { kind: 'report', text: 'demo: US-001 done', buttons: [], offers: [], rings: true, file: null },
    });
    expect(terminal.text).toBe('· Nothing needs you.\n\n● demo: US-001 done');
  });

  it('that closes a card is one line', () => {
    const { terminal, post } = given(80);
    post('review', '✅ Approved · Order history\ndemo · US-001\nby Ada, 10:00', {
      edits: 'm9',
      interaction: 'i1',
      card: 'i1',
    });
    expect(terminal.text).toBe('  ✅ Approved · Order history · by Ada, 10:00');
  });

  it('whose text was moved to a file is printed in full up to a limit', () => {
    const { terminal, post } = given(80);
    const text = Array.from({ length: 3_000 }, (_, index) => `line ${index + 1}`).join('\n');
    post('answer', 'cut', {
      view: { kind: 'answer', text: 'cut', buttons: [], offers: [], rings: false, file: { name: 'a.txt', text } },
    });
    expect(terminal.text).toContain('line 2000\n  … 1000 lines more');
  });
});
