// Turns one person's lines into requests and numbers messages' buttons. Independent of terminals.
import { BosunError } from '../../../base/index.js';
import type { Message } from '../../../store/index.js';
import { perform } from '../../requests/perform-request.js';
import type { RequestResult } from '../../requests/request.js';
import type { BotServices } from '../../services.js';
import { optionOfTextCard } from '../../views/presenter.js';
import { isAbort } from '../../views/view.js';
import { type ButtonChoice, Choices } from './choices.js';

export interface ConversationParts {
  readonly thread: string;
  readonly onMessage: (message: Message, choices: readonly ButtonChoice[]) => void;
  /** A person sees questions before the next line, a script does not. */
  readonly hasPrompt: boolean;
}

/** The next line is an option's text. */
export interface TerminalRequest {
  readonly message: string;
  readonly question: string;
}

export type Entered =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'answered'; readonly answered: RequestResult }
  | { readonly kind: 'failed'; readonly error: BosunError };

export const localHelp = `Here in the terminal:
1, 2, 3 …        presses what stands behind that number
> your words     replies to the newest card: "> 30 seconds, others OK"
> i1-2 words     replies to the card with that code
exit             leaves (so does Ctrl-D)`;

const maxLineChars = 20_000;

export class Conversation {
  readonly choices = new Choices();
  readonly #services: BotServices;
  readonly #parts: ConversationParts;
  readonly #stop: () => void;
  #asking: TerminalRequest | null = null;
  #pressed: Pick<ButtonChoice, 'label'> | null = null;
  /** Waits for a yes, because it ends work. */
  #ending: ButtonChoice | null = null;

  constructor(services: BotServices, parts: ConversationParts) {
    this.#services = services;
    this.#parts = parts;
    this.#stop = services.runtime.onMessages((messages) => {
      for (const message of messages) if (message.thread === parts.thread) this.take(message);
    });
  }

  /** The question before the next line. */
  get question(): string | null {
    return this.#ending === null ? (this.#asking?.question ?? null) : 'abort the task? y or n';
  }

  get asking(): TerminalRequest | null {
    return this.#asking;
  }

  stopAsking(): boolean {
    const was = this.question !== null;
    this.#asking = null;
    this.#ending = null;
    return was;
  }

  close(): void {
    this.#stop();
  }

  take(message: Message): void {
    // Only this person's own press continues here.
    if (this.#pressed && optionOfTextCard(message.card) !== null) {
      this.#asking = { message: message.id, question: questionFor(this.#pressed, optionOfTextCard(message.card)) };
      return;
    }
    this.#parts.onMessage(message, this.choices.take(message));
  }

  async enter(line: string): Promise<Entered> {
    const text = line.trim();
    if (text.length > maxLineChars)
      return note(`That line is longer than ${maxLineChars} characters; nothing was said.`);
    if (this.#ending) return this.#endsOn(text, this.#ending);
    if (this.#asking) return this.#giveWords(this.#asking, text, null);
    if (text === '') return { kind: 'nothing' };
    if (/^\/?(exit|quit)$/i.test(text)) return { kind: 'leave' };
    const number = /^\[?(\d{1,4})\]?$/.exec(text)?.[1];
    if (number !== undefined) return this.#pressNumber(Number(number));
    const reply = /^(?:>|re\s)\s*(.*)$/i.exec(text)?.[1];
    if (reply !== undefined) return this.reply(reply);
    return this.say(text);
  }

  say(text: string, as: string | null = null): Promise<Entered> {
    this.choices.forgetOffers();
    return this.#perform({ do: 'say', text, replyTo: null, ...this.#base(as) });
  }

  /** To the card that awaits text, else the named card, else the newest. */
  async reply(said: string, as: string | null = null): Promise<Entered> {
    if (this.#asking) return this.#giveWords(this.#asking, said.trim(), as);
    const [, code, rest] = /^(i[\w-]+)\s+(.+)$/.exec(said) ?? [];
    const byCode = code === undefined ? null : this.choices.replyTarget(code);
    const replyTo = byCode ?? this.choices.replyTarget(null);
    const text = byCode === null ? said : (rest ?? '');
    if (replyTo === null) return note('No card is open that you could reply to.');
    if (text.trim() === '') return note('Put your words behind it: > 30 seconds, others OK');
    this.choices.forgetOffers();
    return this.#perform({ do: 'say', text, replyTo, ...this.#base(as) });
  }

  async press(
    choice: Pick<ButtonChoice, 'label' | 'press'>,
    text: string | null = null,
    as: string | null = null,
  ): Promise<Entered> {
    this.#pressed = choice;
    try {
      return await this.#perform({ do: 'press', press: choice.press, text, ...this.#base(as) });
    } finally {
      this.#pressed = null;
    }
  }

  async #pressNumber(number: number): Promise<Entered> {
    const choice = this.choices.byNumber(number);
    if (choice !== null && isAbort(choice) && this.#parts.hasPrompt) {
      this.#ending = choice;
      return { kind: 'nothing' };
    }
    return choice ? this.press(choice) : note(`There is no [${number}] now. To reply to a card: > ${number}`);
  }

  async #endsOn(answer: string, choice: ButtonChoice): Promise<Entered> {
    this.#ending = null;
    return /^y(es)?$/i.test(answer) ? this.press(choice) : note('Nothing was done. The card is still open.');
  }

  async #giveWords(asking: TerminalRequest, text: string, as: string | null): Promise<Entered> {
    this.#asking = null;
    if (text === '') return note('Taken back. The card is still open.');
    return this.#perform({ do: 'say', text, replyTo: asking.message, ...this.#base(as) });
  }

  #base(as: string | null) {
    return { thread: this.#parts.thread, as, cwd: process.cwd() };
  }

  async #perform(request: Parameters<typeof perform>[1]): Promise<Entered> {
    try {
      return { kind: 'answered', answered: await perform(this.#services, request) };
    } catch (error) {
      if (error instanceof BosunError) return { kind: 'failed', error };
      throw error;
    }
  }
}

function questionFor(pressed: Pick<ButtonChoice, 'label'>, option: string | null): string {
  if (option === 'changes') return 'what should change?';
  return option === 'answer' ? 'your answer?' : `${pressed.label}:`;
}

function note(text: string): Entered {
  return { kind: 'note', text };
}
