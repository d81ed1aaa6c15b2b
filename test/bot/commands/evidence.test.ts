// A reviewer sees what they decide about: buttons and words show the diff and the log of the card, fixed when it was
// asked. Each test plays the demo in its real repository.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { perform } from '../../../src/bot/index.js';
import { givenDesk } from '../channels/terminal/given.js';

type Desk = Awaited<ReturnType<typeof givenDesk>>;

const waitMs = 30_000;

async function openCard({ app }: Desk, text = /^Review · /, kind = 'review') {
  return vi.waitFor(() => {
    const [open] = app.runtime.reader.openInteractions('demo').filter(({ interaction }) => interaction.kind === kind);
    const card = open && app.runtime.reader.cardMessage('local', open.interaction.id);
    if (!open || !card || !text.test(card.view.text)) throw new Error('no review is open');
    return { ...open, card };
  }, waitMs);
}

async function atReview(desk: Desk) {
  await desk.say('continue demo');
  return openCard(desk);
}

function press({ app }: Desk, id: string) {
  return perform(app, { do: 'press', press: id, text: null, thread: 'local', as: null, cwd: '/' });
}

function reply({ app }: Desk, to: string, text: string) {
  return perform(app, { do: 'say', text, replyTo: to, thread: 'local', as: null, cwd: '/' });
}

function buttonOf(
  card: {
    readonly id: string;
    readonly view: { readonly buttons: readonly { readonly label: string; readonly press: string }[] };
  },
  label: string,
) {
  const button = card.view.buttons.find((one) => one.label === label);
  if (button === undefined) throw new Error(`no button ${label}`);
  return `${card.id}${button.press}`;
}

function shown({ messages }: Awaited<ReturnType<Desk['say']>>) {
  expect(messages).toHaveLength(1);
  const view = messages[0]?.view;
  if (view === undefined) throw new Error('nothing is shown');
  return { text: view.text, whole: view.file?.text ?? view.text, repliesTo: view.repliesTo, rings: view.rings };
}

it(
  'buttons and words show the diff that a review is about, whatever the checkout holds later',
  async () => {
    const desk = await givenDesk({ work: true });
    const { run, interaction, card } = await atReview(desk);
    const { work } = interaction;
    expect(work?.whole?.stat.files).toBeGreaterThan(0);
    expect(card.view.text).toContain(`${work?.whole?.stat.files} files +${work?.whole?.stat.insertions}`);
    const root = desk.app.config().projects[0]?.root ?? '';
    appendFileSync(join(root, 'README.md'), 'added by a person while the review waits\n');

    const said = shown(await desk.say('diff demo'));
    expect(said.text).toContain(`as in ${interaction.id}`);
    expect(said.whole).toContain('diff --git');
    expect(said.whole).not.toContain('added by a person');
    const pressed = shown(await press(desk, buttonOf(card, 'Show diff')));
    expect(pressed).toMatchObject({
      text: said.text,
      whole: said.whole,
      rings: false,
      repliesTo: card.edits ?? card.id,
    });
    for (const words of ['what changed?', 'show me the diff', 'diff'])
      expect(shown(await reply(desk, card.id, words)).whole).toBe(said.whole);

    expect(shown(await press(desk, buttonOf(card, 'Show log'))).text).toMatch(/^Log · .*\n.* · pass/);
    expect(desk.app.runtime.reader.interaction(interaction.id)?.interaction.state).toBe('open');

    await press(desk, `${interaction.id}.approve`);
    const settled = await vi.waitFor(() => {
      const now = desk.app.runtime.reader.cardMessage('local', interaction.id);
      if (!now?.view.text.startsWith('✅')) throw new Error('not settled');
      return now;
    }, waitMs);
    expect(shown(await press(desk, buttonOf(settled, 'Show diff'))).whole).toBe(said.whole);
    expect(run).toBe('r1');
  },
  2 * waitMs,
);

it(
  'a second review names the request, and shows what changed since',
  async () => {
    const desk = await givenDesk({ work: true });
    const { interaction } = await atReview(desk);
    await reply(desk, (await openCard(desk)).card.id, 'changes: rename total to sum');
    const { card, interaction: again } = await openCard(desk, /^Review, 2nd round · /);
    expect(again.work?.since).toMatchObject({ from: interaction.work?.to, to: again.work?.to });
    expect(card.view.text).toMatch(/Owner asked at \d\d:\d\d: “rename total to sum”\nSince then: /);
    expect(card.view.text).toContain('In all: ');
    const since = shown(await press(desk, buttonOf(card, 'Show what changed')));
    expect(since.text).toContain('What changed · ');
    expect(shown(await press(desk, buttonOf(card, 'Show whole diff'))).text).toContain('Diff · ');
  },
  2 * waitMs,
);

it(
  'a person who may not read the project gets nothing from the button',
  async () => {
    const desk = await givenDesk({ work: true });
    const { card } = await atReview(desk);
    const handled = await desk.app.door.hear({
      ...{ thread: 'local', by: 'mallory', cwd: '/' },
      body: { type: 'press', press: buttonOf(card, 'Show diff'), text: null },
    });
    expect(handled.exit).toBe(3);
    expect(handled.messages.map(({ view }) => view.file?.text ?? view.text).join('')).not.toContain('diff --git');
  },
  2 * waitMs,
);

it(
  'a finished run shows who answered what, and its own commits, not what a later run adds',
  async () => {
    const desk = await givenDesk({ work: true });
    const { interaction } = await atReview(desk);
    await press(desk, `${interaction.id}.approve`);
    const question = await openCard(desk, /^Question · /, 'question');
    await reply(desk, question.card.id, '30 seconds');
    const item = await vi.waitFor(() => {
      const found = desk.app.runtime.reader.spine('r1')?.items.find(({ status }) => status === 'done');
      if (found?.commit === undefined) throw new Error('no story is done');
      return found;
    }, waitMs);
    const history = shown(await desk.say('history demo')).whole;
    expect(history).toContain('Owner answered the review with Approve');
    expect(history).toContain('Owner answered the question with Answer: “30 seconds”');
    const root = desk.app.config().projects[0]?.root ?? '';
    const diff = shown(await desk.say(`diff demo ${item.key}`)).whole;
    appendFileSync(join(root, 'README.md'), 'of a later run\n');
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qam', 'later'], { cwd: root });
    expect(shown(await desk.say(`diff demo ${item.key}`)).whole).toBe(diff);
    expect(diff).not.toContain('of a later run');
  },
  2 * waitMs,
);

it(
  'a run is named by its id where there are several projects, but not by a person who may not read its project',
  async () => {
    const desk = await givenDesk({ work: true });
    await atReview(desk);
    const config = readFileSync(desk.home.configPath, 'utf8');
    const root = mkdtempSync(join(tmpdir(), 'bosun-bank-'));
    execFileSync('git', ['init', '-q', root]);
    writeFileSync(desk.home.configPath, config.replace('projects:\n', `projects:\n  bank: { root: ${root} }\n`));
    await vi.waitFor(() => expect(desk.app.config().projects).toHaveLength(2), waitMs);
    expect(shown(await desk.say('diff r1')).whole).toContain('diff --git');
    expect(shown(await desk.say('log R1')).text).toContain('Log · ');
    expect(shown(await desk.say('diff r9')).text).toBe('Which project?');
    await desk.say('use bank');
    expect(shown(await desk.say('diff r1')).whole).toContain('diff --git');
    const stranger = { thread: 'local', by: 'mallory', cwd: '/' };
    const refused = await desk.app.door.hear({ ...stranger, body: { type: 'text', text: 'diff r1', replyTo: null } });
    expect(refused.messages.map(({ view }) => view.file?.text ?? view.text).join('')).not.toContain('demo');
  },
  2 * waitMs,
);
