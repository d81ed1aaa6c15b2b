import { expect, it } from 'vitest';
import { clock, view } from '../../src/bot/views/view.js';
import { outgoing, withoutQuietProgress } from '../../src/dispatch/commit/outgoing-messages.js';
import type { NewMessage } from '../../src/store/index.js';

const hide = (text: string) => text.replaceAll('hunter2', '[redacted]');

function message(patch: Partial<NewMessage>): NewMessage {
  const shown = view('report', 'done');
  return { thread: 'tg:7', run: 'r1', interaction: null, card: null, view: shown, at: 1, ...patch };
}

it('no text of a message is stored with a secret, not even one that is only shown again later', () => {
  const text = 'it used hunter2';
  const shown = { ...view('review', text), settled: text, markdown: [text], file: { name: 'a.log', text } };
  const stored = outgoing([message({ view: shown })], hide);
  expect(JSON.stringify(stored)).not.toContain('hunter2');
  expect(stored[0]?.view).toMatchObject({ settled: 'it used [redacted]', markdown: ['it used [redacted]'] });
});

it('a message is stored with its times in words and their moments beside the text', () => {
  const at = new Date(2026, 10, 20, 12, 40).getTime();
  const text = `by Ada, ${clock(at)}`;
  const [stored] = outgoing(
    [message({ view: { ...view('review', text), settled: text, file: { name: 'a', text } } })],
    hide,
  );
  expect(stored?.view).toMatchObject({
    text: 'by Ada, 12:40',
    settled: 'by Ada, 12:40',
    file: { text: 'by Ada, 12:40' },
    times: [{ text: '12:40', at, hasDate: false }],
  });
  const again = outgoing([{ ...message({}), view: { ...view('review', ''), ...stored?.view } }], hide);
  expect(again[0]?.view).toEqual(stored?.view);
});

it('a report that a question about it replaces in the same commit is not stored', () => {
  const report = message({ card: 'done:r1:US-1' });
  const question = message({ card: 'done:r1:US-1', interaction: 'i1-1' });
  const elsewhere = message({ card: 'done:r1:US-1', thread: 'sl:C1' });
  expect(outgoing([report, question, elsewhere], hide)).toEqual([question, elsewhere]);
  expect(outgoing([question, report], hide)).toEqual([question, report]);
});

it('a quiet thread gets no progress, also not below a settled card', () => {
  const report = message({});
  const progress = message({ view: view('progress', 'at work') });
  const below = message({ view: { ...view('review', 'approved, at work'), settled: 'approved' } });
  const loud = { ...below, thread: 'tg:8' };
  expect(withoutQuietProgress([report, progress, below, loud], (thread) => thread === 'tg:7')).toEqual([report, loud]);
});
