// docs/messages.md: every message that Bosun sends, as Telegram, Slack and a terminal show it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Display, openScreen, paintFor } from '../../../src/bot/channels/terminal/index.js';
import { columnsOf } from '../../../src/bot/render/columns.js';
import type { Message, View } from '../../../src/store/messages/message-types.js';
import { sections } from '../cards.js';
import { onPhone as onSlack } from '../channels/slack/render/phone.js';
import { onPhone as onTelegram } from '../channels/telegram/render/phone.js';
import { VirtualTerminal } from '../channels/terminal/virtual-terminal.js';
import { shortTexts } from './short-texts.js';

const columns = 40;

export function messagesPage(): string {
  return [
    ...opening,
    ...sections.flatMap(([title, messages]) => [
      `## ${title}`,
      '',
      ...messages.flatMap(([name, make]) => [`### ${capitalized(name)}`, '', ...side(make()), '']),
    ]),
    '## Short answers and refusals',
    '',
    'Read from the source, file by file. `{…}` stands for a value.',
    '',
    ...sourcesOfTexts().flatMap(({ path, texts }) => [
      `### ${path}`,
      '',
      '```text',
      ...texts.flatMap((text) => text.split('\n').map((line, index) => (index === 0 ? line : `  ${line}`))),
      '```',
      '',
    ]),
  ].join('\n');
}

const opening = [
  '# Messages',
  '',
  'Every message that Bosun sends to a chat, as Telegram, Slack and a terminal of 40 columns show it. This page is generated:',
  '`npm run messages` writes it, and a test fails when a text changes without it.',
  '',
  'Telegram: `**bold**`, `│` before code, `(rings)` or `(silent)` first. Slack: `(banner)` is the notification, `== header ==`,',
  '`·` before small print, `[+ ]` a green and `[! ]` a red button. Terminal: `●` rings, `!` is an error, `[1]` is typed to press.',
  '',
  'As pictures, at the width of a phone (`npm run pictures` draws them):',
  '',
  ...sections.map(([title]) => {
    const name = title.toLowerCase().replaceAll(' ', '-');
    return `- ${title}: [Telegram](images/cards-telegram-${name}.png), [Slack](images/cards-slack-${name}.png)`;
  }),
  '',
];

/** The three forms beside each other in one code block. */
function side(view: View): readonly string[] {
  const forms = [onTelegram(view), onSlack(view), onTerminal(view)].map((text) => text.split('\n'));
  const rows = Math.max(...forms.map((lines) => lines.length));
  const body = Array.from({ length: rows }, (_, row) =>
    forms
      .map((lines) => lines[row] ?? '')
      .map((line) => `${line}${' '.repeat(Math.max(0, columns - columnsOf(line)))}`)
      .join(' ¦ ')
      .trimEnd(),
  );
  return ['```text', ...body, '```'];
}

function onTerminal(view: View): string {
  const terminal = new VirtualTerminal(columns + 1);
  const display = new Display(openScreen({ output: terminal, width: null, curtain: null }), paintFor(false));
  const base = { edits: null, thread: 'local', run: 'r12', interaction: null, card: null, at: 0 };
  const message: Message = { id: 'm1', ...base, view };
  display.show(
    message,
    view.buttons.map(({ label, press }, index) => ({ number: index + 1, label, press })),
  );
  return terminal.text.trim();
}

function sourcesOfTexts() {
  const folder = 'src/bot';
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('views/'))
    .sort()
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(folder, name), 'utf8') }))
    .map((source) => ({ path: source.path, texts: shortTexts(source) }))
    .filter(({ texts }) => texts.length > 0);
}

function capitalized(name: string): string {
  return `${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`;
}
