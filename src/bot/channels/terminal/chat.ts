import { createInterface, type Interface, moveCursor } from 'node:readline';
import type { BosunError } from '../../../base/index.js';
import type { BotServices } from '../../services.js';
import { Conversation, type Entered, localHelp } from './conversation.js';
import { Display } from './display.js';
import { type Curtain, isTerminal, openScreen, type Paint, paintFor } from './screen.js';

export interface ChatIo {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly isColored: boolean;
  readonly width?: number;
  readonly thread?: string;
}

export interface OpenChat {
  /** The person left, or the input ended. */
  readonly closed: Promise<void>;
  close(): void;
}

const maxHistory = 500;
/** Bounds pasted lines that wait. */
const maxWaiting = 100;
const maxShownAgain = 5;

export function openChat(services: BotServices, io: ChatIo): OpenChat {
  return new TerminalChat(services, io);
}

class TerminalChat implements OpenChat {
  readonly closed: Promise<void>;
  readonly #services: BotServices;
  readonly #lines: Interface;
  readonly #paint: Paint;
  readonly #screen: ReturnType<typeof openScreen>;
  readonly #display: Display;
  readonly #conversation: Conversation;
  readonly #isTerminal: boolean;
  #work: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isOpen = true;
  #isWarned = false;

  constructor(services: BotServices, io: ChatIo) {
    const { input, output } = io;
    const thread = io.thread ?? 'local';
    this.#services = services;
    this.#isTerminal = isTerminal(output);
    this.#paint = paintFor(io.isColored);
    const options = { historySize: maxHistory, removeHistoryDuplicates: true, prompt: this.#promptText(null) };
    this.#lines = createInterface({ input, output, terminal: this.#isTerminal, ...options });
    // Readline switches it off during a paste, and then writes at the end instead of the cursor.
    Object.defineProperty(this.#lines, 'isCompletionEnabled', { get: () => true, set: () => undefined });
    this.#screen = openScreen({ output, width: io.width ?? null, curtain: this.#curtain(output) });
    this.#display = new Display(this.#screen, this.#paint);
    const show = this.#display.show.bind(this.#display);
    this.#conversation = new Conversation(services, { thread, onMessage: show, hasPrompt: this.#isTerminal });
    this.closed = new Promise((resolve) => this.#lines.once('close', () => this.#finish(output, resolve)));
    // Ends the chat, not Bosun.
    for (const stream of [input, output]) stream.on('error', () => this.close());
    this.#lines.on('line', (line) => this.#acceptLine(line));
    this.#lines.on('SIGINT', () => this.#interrupted());
    this.#greet(thread);
    this.#prompt();
  }

  close(): void {
    if (this.#isOpen) this.#lines.close();
  }

  #finish(output: NodeJS.WritableStream, resolve: () => void): void {
    this.#isOpen = false;
    if (this.#isTerminal) output.write('\n');
    void this.#work.then(() => {
      this.#conversation.close();
      resolve();
    });
  }

  #greet(thread: string): void {
    const { runtime, config } = this.#services;
    const { projects } = config();
    const names = projects
      .slice(0, 10)
      .map(({ name, aliases }) => (aliases.length > 0 ? `${name} (${aliases.join(', ')})` : name));
    const [first] = projects;
    this.#screen.print([
      this.#paint('bold', 'Bosun: tell it what to do next; it asks you when it needs you.'),
      first
        ? `Projects: ${names.join(', ')}${projects.length > names.length ? ', …' : ''}`
        : 'No project yet: bosun init <folder>',
      `Try ${this.#paint('cyan', `continue ${first?.name ?? '<project>'}`)} · ${this.#paint('cyan', 'help')} · ${this.#paint('cyan', 'exit')}`,
    ]);
    const open = runtime.reader.openInteractions(null).map(({ interaction }) => interaction.id);
    const cards = open.flatMap((id) => runtime.reader.cardMessage(thread, id) ?? []);
    for (const card of cards.slice(-maxShownAgain)) this.#conversation.take(card);
    const hidden = open.length - Math.min(cards.length, maxShownAgain);
    if (hidden > 0)
      this.#display.note(`${hidden} more ${hidden === 1 ? 'card waits' : 'cards wait'} for a person: inbox`);
  }

  #acceptLine(line: string): void {
    this.#screen.settle();
    this.#isWarned = false;
    if (this.#waiting >= maxWaiting) {
      this.#display.problem(`Too many lines at once; not said: ${line.slice(0, 60)}`);
      return;
    }
    this.#waiting += 1;
    this.#work = this.#work
      .then(() => this.#handle(line))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async #handle(line: string): Promise<void> {
    try {
      this.#answer(line, await this.#conversation.enter(line));
    } catch (error) {
      this.#display.problem(`Bosun hit an error: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.#prompt();
  }

  #answer(line: string, entered: Entered): void {
    if (entered.kind === 'leave') this.close();
    if (entered.kind === 'note') this.#display.note(entered.text);
    if (entered.kind === 'failed') this.#display.problem(spoken(entered.error));
    if (entered.kind === 'answered' && /^[/!]?help\W*$/i.test(line.trim())) this.#display.note(localHelp);
    if (this.#conversation.asking) this.#display.note('Type it in one line; an empty line takes it back.');
  }

  /** Ctrl-C clears the line, warns, then leaves. */
  #interrupted(): void {
    const hadWords = this.#lines.line !== '';
    if (hadWords) Object.assign(this.#lines, { line: '', cursor: 0 });
    const wasAsking = this.#conversation.stopAsking();
    if (hadWords || wasAsking) {
      this.#prompt();
      return;
    }
    if (this.#isWarned) {
      this.close();
      return;
    }
    this.#isWarned = true;
    this.#display.note(
      'Bosun works for as long as this runs. Ctrl-C again, or exit, ends it; what was begun goes on at the next start.',
    );
  }

  #prompt(): void {
    if (!this.#isOpen || !this.#isTerminal) return;
    this.#lines.setPrompt(this.#promptText(this.#conversation.question));
    this.#lines.prompt(true);
  }

  #promptText(question: string | null): string {
    return question === null ? '> ' : `${question} > `;
  }

  /** Erases the typed line and redraws it below. */
  #curtain(output: NodeJS.WritableStream): Curtain {
    const isShown = () => this.#isOpen && this.#isTerminal;
    return {
      hide: () => {
        if (!isShown()) return;
        moveCursor(output, 0, -this.#lines.getCursorPos().rows);
        Object.assign(this.#lines, { prevRows: 0 });
      },
      show: () => {
        if (isShown()) this.#prompt();
      },
    };
  }
}

function spoken(error: BosunError): string {
  return `${error.code}: ${error.message}${error.hint ? ` ${error.hint}` : ''}`;
}
