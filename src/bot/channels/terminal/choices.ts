import type { Message } from '../../../store/index.js';
import { buttonsOf, hasDecidingButton, menuOf } from '../../views/view.js';

export interface ButtonChoice {
  readonly number: number;
  readonly label: string;
  readonly press: string;
}

interface Open {
  /** The target of a reply. */
  readonly message: string;
  /** Null: an offer, removed by the next command. */
  readonly card: string | null;
  readonly choices: readonly ButtonChoice[];
}

const maxOpen = 50;

export class Choices {
  #open: readonly Open[] = [];

  take(message: Message): readonly ButtonChoice[] {
    const card = cardOf(message);
    const before = card === null ? undefined : this.#open.find((one) => one.card === card);
    if (card !== null) this.#open = this.#open.filter((one) => one !== before);
    if (isSettled(message) || message.view.buttons.length === 0) return [];
    const choices = numbered(message, before?.choices ?? [], this.#nextNumber(before));
    this.#open = [...this.#open, { message: message.edits ?? message.id, card, choices }].slice(-maxOpen);
    return choices;
  }

  byNumber(number: number): ButtonChoice | null {
    return this.#open.flatMap((one) => one.choices).find((choice) => choice.number === number) ?? null;
  }

  byName(name: string): ButtonChoice | null {
    const wanted = name.trim().toLowerCase();
    const isMeant = ({ label, press }: ButtonChoice) =>
      label.toLowerCase() === wanted || press.toLowerCase() === wanted || press.toLowerCase().endsWith(`.${wanted}`);
    const found = this.#open.findLast((one) => one.choices.some(isMeant));
    return found?.choices.find(isMeant) ?? null;
  }

  replyTarget(code: string | null): string | null {
    return this.#open.findLast((one) => one.card !== null && (code === null || one.card === code))?.message ?? null;
  }

  forgetOffers(): void {
    this.#open = this.#open.filter((one) => one.card !== null);
  }

  #nextNumber(before: Open | undefined): number {
    const used = [...this.#open, ...(before ? [before] : [])].flatMap((one) => one.choices);
    return Math.max(0, ...used.map((choice) => choice.number)) + 1;
  }
}

/** A card shown again keeps its numbers. */
function numbered(message: Message, before: readonly ButtonChoice[], next: number): readonly ButtonChoice[] {
  const shown = [...buttonsOf(message), ...menuOf(message)];
  const first = before.length === shown.length ? (before[0]?.number ?? next) : next;
  return shown.map((button, index) => ({ ...button, number: first + index }));
}

function cardOf(message: Message): string | null {
  const { interaction } = message;
  if (interaction === null) return null;
  const isItsOwn = message.view.buttons.some((button) => button.press.startsWith(`${interaction}.`));
  return isItsOwn || isSettled(message) ? interaction : null;
}

function isSettled({ interaction, card, view }: Message): boolean {
  return interaction !== null && card === interaction && !hasDecidingButton(view);
}
