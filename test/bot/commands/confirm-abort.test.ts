// [Abort] on a card of a phone asks as the word does; a script's press decides at once.
import { expect, it, vi } from 'vitest';
import { givenDesk } from '../channels/terminal/given.js';

const waitMs = 60_000;

async function atQuestion() {
  const desk = await givenDesk({ work: true });
  const { reader } = desk.app.runtime;
  const open = (kind: string) =>
    vi.waitFor(() => {
      const found = reader.openInteractions('demo').find(({ interaction }) => interaction.kind === kind);
      if (found === undefined) throw new Error(`no ${kind} is open`);
      return found.interaction.id;
    }, waitMs);
  const press = (press: string, more = {}) =>
    desk.app.door.hear({ thread: 'local', by: null, cwd: '/', body: { type: 'press', press, text: null, ...more } });
  await desk.say('continue demo');
  await press(`${await open('review')}.approve`);
  return { ...desk, reader, press, question: await open('question') };
}

it(
  'a card asks, tells what would be lost, and both cards stay open until somebody decides',
  async () => {
    const { reader, press, question } = await atQuestion();
    const asked = await press(`${question}.abort`, { asksFirst: true });
    expect(asked.messages.map(({ view }) => view.text).join()).toMatch(
      /^Abort\? · US-001 Order history\ndemo\nNo step is running\.\n\d+ files changed, not committed: docs\/.*, .* and \d+ more\.\nUntil you decide/,
    );
    expect(reader.openInteractions('demo').map(({ interaction }) => interaction.subject.type)).toEqual([
      'question',
      'abort',
    ]);
    const confirm = reader.openInteractions('demo')[1]?.interaction.id;
    await press(`${confirm}.abort`, { asksFirst: true });
    await vi.waitFor(() => expect(reader.run('r1')?.status).toBe('cancelled'), waitMs);
  },
  3 * waitMs,
);

it(
  'without a second tap the press ends the work',
  async () => {
    const { reader, press, question } = await atQuestion();
    await press(`${question}.abort`);
    await vi.waitFor(() => expect(reader.run('r1')?.status).toBe('cancelled'), waitMs);
  },
  3 * waitMs,
);

it(
  'the files of a finished story count as committed',
  async () => {
    const { app, reader, question, say } = await atQuestion();
    const replyTo = reader.cardMessage('local', question)?.id ?? '';
    const body = { type: 'text', text: 'newest first', replyTo } as const;
    await app.door.hear({ thread: 'local', by: null, cwd: '/', body });
    const isDone = () => reader.spine('r1')?.items.some(({ status }) => status === 'done');
    await vi.waitFor(() => expect(isDone()).toBe(true), waitMs);
    const asked = (await say('abort demo')).messages.map(({ view }) => view.text).join();
    expect(asked).toMatch(/^Abort\? · /);
    expect(asked).not.toContain('not committed:');
  },
  3 * waitMs,
);
