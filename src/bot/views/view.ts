import { markedTime, misleading, replaceTimes } from '../../base/index.js';
import { hasBody, type Interaction, type Item, type Node, type TestCounts } from '../../engine/index.js';
import type { Button, Message, View } from '../../store/index.js';

export interface Offer {
  readonly label: string;
  /** A sentence of the grammar, or `@` and an action. */
  readonly says: string;
}

/** Longer text goes as a file. */
const maxTextChars = 3_500;

export function view(kind: string, said: string, offers: readonly Offer[] = []): View {
  const text = clean(said);
  const isLong = text.length > maxTextChars;
  return {
    kind,
    text: isLong ? `${text.slice(0, maxTextChars)}\n… (the whole is in the file)` : text,
    // The press gets the message's id later.
    buttons: offers.map(({ label }, index) => ({ label, press: `.${index}` })),
    offers: offers.map(({ says }) => says),
    rings: false,
    file: isLong ? { name: `${kind}.txt`, text } : null,
  };
}

export function withButtons(shown: View, buttons: readonly Button[]): View {
  return { ...shown, buttons: [...buttons, ...shown.buttons] };
}

export function withMenu(shown: View, menu: readonly Offer[]): View {
  if (menu.length === 0) return shown;
  const first = shown.offers.length;
  return {
    ...shown,
    offers: [...shown.offers, ...menu.map(({ says }) => says)],
    menu: menu.map(({ label }, index) => ({ label, press: `.${first + index}` })),
  };
}

export function interactionButtons(interaction: Interaction): readonly Button[] {
  return interaction.options.map((option) => ({ label: option.label, press: `${interaction.id}.${option.id}` }));
}

const escapeChar = String.fromCharCode(27);
const ansi = new RegExp(
  `${escapeChar}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^${escapeChar}\\n]*?(?:\\u0007|${escapeChar}\\\\))`,
  'g',
);

/** Security: outside text could move a cursor or reverse the writing. */
export function clean(text: string): string {
  return redacted(text).replace(ansi, '').replaceAll(misleading, '');
}

export function oneLine(text: string, maxChars = 120): string {
  const line = clean(text).replace(/\s+/gu, ' ').trim();
  const letters = [...line];
  return letters.length > maxChars ? `${letters.slice(0, maxChars - 1).join('')}…` : line;
}

/** `Bash asks for: npm publish`, from the first lines. */
export function joinedLines(text: string, maxChars = 160): string {
  const [first = '', ...rest] = text
    .split('\n', maxJoinedLines)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const joined = rest.reduce(
    (before, line) => `${before}${/[\p{L}\p{N})]$/u.test(before) ? ' · ' : ' '}${line}`,
    first,
  );
  return oneLine(joined, maxChars);
}

const maxJoinedLines = 6;

/** Security: keeps keys and tokens, even truncated ones, out of chats. */
const secrets =
  /\b(?:\d{6,12}:[\w-]{30,}|xox[abeprs]-[\w-]{8,}|xapp-[\w-]{8,}|sk-[\w-]{16,}|gh[opsu]_\w{20,}|github_pat_\w{20,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}|[0-9a-f]{41,64})\b/g;

export function redacted(text: string): string {
  return text.replace(secrets, '[redacted]');
}

export function personName(id: string): string {
  return id === '' ? 'somebody' : id[0]?.toUpperCase() + id.slice(1);
}

/** `Ada, Bob and Carol`. */
export function listed(names: readonly string[], word: 'and' | 'or' = 'and'): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${word} ${last}`;
}

/** For a message: each platform shows it in its reader's zone. */
export function clock(at: number): string {
  return markedTime(at, false);
}

/** With the date on another day. */
export function clockFrom(at: number, now: number): string {
  const day = (time: number) => new Date(time).toDateString();
  return markedTime(at, day(at) !== day(now));
}

export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

export function span(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** For toasts, which no platform words for its reader: `3 min ago`. */
export function relativeTimes(text: string, now: number): string {
  return replaceTimes(text, (at) => (at > now ? `in ${span(at - now)}` : `${span(now - at)} ago`));
}

export function money(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

/** `unpriced`: attempts without a cost. */
export interface Costing {
  readonly costUsd: number;
  readonly unpriced?: number;
}

export function costSaid({ costUsd, unpriced = 0 }: Costing): string {
  if (unpriced === 0) return money(costUsd);
  return costUsd > 0 ? `at least ${money(costUsd)}` : 'unknown';
}

export function costNote(costing: Costing): string {
  const said = costSaid(costing);
  if (said === 'unknown') return 'cost unknown';
  return costing.costUsd > 0 ? said : '';
}

export function stepName({ title, template }: Pick<Node, 'title' | 'template'>): string {
  return oneLine(title, 60) || template;
}

/** `2 of 44 tests fail`, `tests 42 of 42 ✓`. */
export function testsInWords(tests: TestCounts | null): string {
  if (tests === null) return '';
  const all = tests.pass + tests.fail;
  const skipped = tests.skip > 0 ? `, ${tests.skip} skipped` : '';
  if (all === 0) return `no tests${skipped}`;
  if (tests.fail === 0) return `tests ${tests.pass} of ${all} ✓${skipped}`;
  return `${tests.fail} of ${all} tests ${tests.fail === 1 ? 'fails' : 'fail'}${skipped}`;
}

const marks: Readonly<Record<Node['state'], string>> = {
  waiting: '·',
  ready: '○',
  queued: '▶',
  running: '▶',
  needs_human: '?',
  passed: '✓',
  failed: '✗',
  skipped: '–',
  cancelled: '■',
};

/** A longer chain shows only the current node's neighbours. */
const maxBarNodes = 8;
const barBefore = 2;
const barAfter = 3;

/** `✓ bdd ✓ contract ▶ impl · verify`; a loop with its done items. */
export function bar(
  nodes: readonly Node[],
  itemsOf: (loop: Node) => readonly Pick<Item, 'status'>[],
  nameOf: (node: Node) => string = ({ template }) => template,
): string {
  const count = (node: Node) => {
    const items = hasBody(node) ? itemsOf(node) : [];
    return items.length === 0 ? '' : ` ${items.filter(({ status }) => status === 'done').length}/${items.length}`;
  };
  const shown = nodes.map((node) => `${marks[node.state]} ${nameOf(node)}${count(node)}`);
  if (shown.length <= maxBarNodes) return shown.join('  ');
  const isPast = ({ state }: Node) => state === 'passed' || state === 'skipped';
  const now = nodes.findIndex((node) => !isPast(node));
  const here = now === -1 ? nodes.length : now;
  const from = here - barBefore > 1 ? here - barBefore : 0;
  const to = shown.length - (here + barAfter + 1) > 1 ? here + barAfter + 1 : shown.length;
  return [
    ...(from > 0 ? [`✓ ${from} steps`] : []),
    ...shown.slice(from, to),
    ...(to < shown.length ? [`· ${shown.length - to} more`] : []),
  ].join('  ');
}

export function lines(...parts: readonly (string | null | undefined | false)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join('\n');
}

/** It ends work at the first press, unlike "Abort it", which answers the card that asked. */
export function isAbort({ label, press }: Button): boolean {
  return press.endsWith('.abort') && label !== 'Abort it';
}

/** A settled card keeps only the buttons that show evidence. */
export function hasDecidingButton({ buttons, offers }: Pick<View, 'buttons' | 'offers'>): boolean {
  const isLook = (press: string) =>
    press.startsWith('.') && /^(?:@(?:diff|log)|stop) /.test(offers[Number(press.slice(1))] ?? '');
  return buttons.some(({ press }) => !isLook(press));
}

/** Built before the message has an id: `.0` becomes `m27.0`. */
export function buttonsOf({ id, view }: Pick<Message, 'id' | 'view'>): readonly Button[] {
  return view.buttons.map(({ label, press }) => ({ label, press: pressOf(id, press) }));
}

export function menuOf({ id, view }: Pick<Message, 'id' | 'view'>): readonly Button[] {
  return (view.menu ?? []).map(({ label, press }) => ({ label, press: pressOf(id, press) }));
}

/** `id`: the newest of its card. */
export function pressOf(id: string, press: string): string {
  return press.startsWith('.') ? `${id}${press}` : press;
}
