// Cleans control characters again, as a second defence.

import { spellCommands } from '../../../base/index.js';
import type { Message } from '../../../store/index.js';
import { columnsOf, cut, wrap } from '../../render/columns.js';
import { clean } from '../../views/view.js';
import type { ButtonChoice } from './choices.js';
import type { Color, Paint, Screen } from './screen.js';

const maxLines = 2_000;
/** An unfinished step; other headlines stay. */
const underWay = /: executing /;

export class Display {
  readonly #screen: Screen;
  readonly #paint: Paint;
  #newest: Message | null = null;

  constructor(screen: Screen, paint: Paint) {
    this.#screen = screen;
    this.#paint = paint;
  }

  show(message: Message, choices: readonly ButtonChoice[]): void {
    if (message.view.kind === 'progress') {
      this.#progress(message);
      return;
    }
    const isEdit = message.edits !== null && choices.length === 0;
    if (isEdit && this.#isRepeated(message)) return;
    if (isEdit) this.#edit(message);
    else this.#message(message, choices);
    this.#newest = message;
  }

  note(text: string): void {
    this.tell('dim', ...linesOf(text).map((line) => `  ${line}`));
  }

  problem(text: string): void {
    const [first = '', ...rest] = linesOf(text);
    this.tell('red', `! ${first}`, ...rest.map((line) => `  ${line}`));
  }

  tell(color: Color | null, ...lines: readonly string[]): void {
    const wrapped = this.#wrapped(lines.flatMap(linesOf));
    this.#screen.print(color === null ? wrapped : wrapped.map((line) => (line === '' ? '' : this.#paint(color, line))));
  }

  #message(message: Message, choices: readonly ButtonChoice[]): void {
    const { view } = message;
    const [first = '', ...rest] = codeMarked(linesOf(view.file?.text ?? spellCommands(view.text)));
    const isError = view.kind === 'error';
    const mark = isError ? '!' : view.rings ? '●' : '·';
    const color = isError ? 'red' : view.rings ? 'yellow' : 'cyan';
    const head = this.#wrapped([`  ${first}`]).map((line) => (view.rings ? this.#paint('bold', line) : line));
    const body = this.#wrapped(rest.map((line) => (line === '' ? '' : `  ${line}`)));
    const [top = '', ...more] = head;
    const text = [
      top.replace(/ {2}/, `${this.#paint(color, mark)} `),
      ...more,
      ...body,
      ...this.#offered(message, choices),
    ];
    this.#screen.print(view.rings ? ['', ...text] : text);
  }

  /** One line for an answered card: outcome, title, decider. */
  #edit(message: Message): void {
    const [head = '', ...rest] = linesOf(message.view.text);
    const text = [head, ...rest.slice(-1)].join(' · ');
    this.#screen.print(this.#wrapped([`  ${text}`]).map((line) => this.#paint('green', line)));
  }

  /** An older card that got the newest title, as a run's first card does at its end. */
  #isRepeated(message: Message): boolean {
    const newest = this.#newest;
    return newest !== null && titleOf(message) === titleOf(newest) && cardOf(message) !== cardOf(newest);
  }

  #progress(message: Message): void {
    const { width } = this.#screen;
    const lines = linesOf(message.view.text);
    const bar = lines.find(isBar);
    const [headline = '', ...more] = lines.filter((line) => line !== bar);
    const isUnderWay = underWay.test(headline);
    // Earlier steps have their own lines already.
    const told = isUnderWay
      ? this.#underWay(
          headline,
          more.filter((line) => /^[$▸]/.test(line)),
        )
      : [headline, ...more];
    const short = told.map((line, index) => (index === 0 ? `… ${line}` : `  ${line}`));
    if (width === null) {
      if (!/, queued\b/.test(headline)) this.#screen.print(short);
      return;
    }
    // A full row makes some terminals wrap.
    const fit = width - 1;
    const shownBar = bar === undefined ? [] : [this.#paintBar(`  ${fitBar(bar, fit - 2)}`)];
    const kept = isUnderWay ? [] : this.#wrapped(short).map((line) => this.#paint('dim', line));
    const now = isUnderWay ? short.map((line) => this.#paint('bold', cut(line.replace(/^… /, '▶ '), fit))) : [];
    this.#screen.print(kept, [...now, ...shownBar]);
  }

  /** On a narrow terminal the activity gets its own line. */
  #underWay(headline: string, news: readonly string[]): readonly string[] {
    const { width } = this.#screen;
    const whole = [headline, ...news].join(' · ');
    const isTooWide = width !== null && columnsOf(whole) + '▶ '.length > width - 1;
    return isTooWide && news.length > 0 ? [headline, news.join(' · ')] : [whole];
  }

  #paintBar(bar: string): string {
    return bar
      .replace(/✓ \S+( done)?/g, (one) => this.#paint('green', one))
      .replace(/[▶?] \S+/g, (one) => this.#paint('yellow', one))
      .replace(/✗ \S+/g, (one) => this.#paint('red', one))
      .replace(/[·–■] (\d+ more|\S+)/g, (one) => this.#paint('dim', one));
  }

  #offered(message: Message, choices: readonly ButtonChoice[]): readonly string[] {
    if (choices.length === 0) return [];
    const width = this.#screen.width ?? Number.POSITIVE_INFINITY;
    const rows: string[] = [];
    let row = '';
    let columns = 0;
    for (const { number, label } of choices) {
      const name = linesOf(label).join(' ');
      const taken = columnsOf(`  [${number}] ${name}`);
      if (row !== '' && columns + taken > width - 1) {
        rows.push(row);
        row = '';
        columns = 0;
      }
      row += `  ${this.#paint('cyan', `[${number}]`)} ${name}`;
      columns += taken;
    }
    const isCard = message.view.buttons.some((one) => one.press.startsWith(`${message.interaction}.`));
    return [...rows, row, ...(isCard ? [this.#paint('dim', '  Type a number, or > and your words.')] : [])];
  }

  #wrapped(lines: readonly string[]): readonly string[] {
    const { width } = this.#screen;
    return width === null ? lines : lines.flatMap((line) => wrap(line, width - 1));
  }
}

function titleOf({ view }: Message): string {
  return view.text.split('\n', 1)[0] ?? '';
}

function cardOf({ edits, id }: Message): string {
  return edits ?? id;
}

function codeMarked(lines: readonly string[]): readonly string[] {
  let isCode = false;
  return lines.flatMap((line) => {
    if (!line.startsWith('```')) return [isCode ? `│ ${line}` : line];
    isCode = !isCode;
    return [];
  });
}

function linesOf(text: string): readonly string[] {
  const lines = clean(text).replaceAll('\t', '  ').split('\n');
  return lines.length > maxLines ? [...lines.slice(0, maxLines), `… ${lines.length - maxLines} lines more`] : lines;
}

/** `✓ 4  ▶ impl  · verify  · 1 more` */
const step = /^[·○▶?✓✗–■] \S+$/;

export function isBar(line: string): boolean {
  const steps = line.split('  ');
  return steps.length > 1 && steps.every((one) => step.test(one));
}

/** Drops finished steps first, then distant ones. */
export function fitBar(line: string, width: number): string {
  if (columnsOf(line) <= width) return line;
  const steps = line.split('  ');
  const firstOpen = steps.findIndex((one) => !one.startsWith('✓'));
  const done = firstOpen < 0 ? steps.length : firstOpen;
  const open = steps.slice(done);
  const head = done > 0 ? [`✓ ${done} done`] : [];
  for (let shown = open.length; shown > 0; shown -= 1) {
    const rest = open.length > shown ? [`· ${open.length - shown} more`] : [];
    const fitted = [...head, ...open.slice(0, shown), ...rest].join('  ');
    if (columnsOf(fitted) <= width) return fitted;
  }
  return cut([...head, ...open].join('  '), width);
}
