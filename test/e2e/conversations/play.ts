// Plays a conversation in a place, turn by turn: after each one people see what they should, and Bosun is at rest.
import { type Name, type Place, type Seen, screenOf, until } from './place.js';
import type { Part, Turn } from './script.js';

export type Cast = Readonly<Record<Part, Name>>;

export interface Playing {
  readonly place: Place;
  readonly cast: Cast;
  /** Waits until Bosun has nothing to do. */
  readonly rest: () => Promise<void>;
  readonly before?: (turn: number) => Promise<void>;
  /** What somebody said or pressed is on its way. */
  readonly after?: (turn: number) => Promise<void>;
}

export async function play(turns: readonly Turn[], { place, cast, rest, before, after }: Playing): Promise<void> {
  const fingers = new Fingers(place);
  for (const [index, turn] of turns.entries()) {
    await before?.(index);
    fingers.look();
    const earlier = new Set(place.seen().map(asText));
    const toasts = place.toasts().length;
    await act(turn, cast[turn.who], place, fingers);
    await after?.(index);
    const isNew = (words: RegExp) =>
      place.seen().some((one) => words.test(one.words) && !earlier.has(asText(one))) ||
      place
        .toasts()
        .slice(toasts)
        .some((one) => words.test(one));
    const missing = () => turn.sees.filter((words) => !isNew(words)).join(' and ');
    await until(
      () => `turn ${index + 1} (${JSON.stringify(turn)}) brings ${missing()}. ${screenOf(place)}`,
      () => missing() === '',
    );
    await rest();
  }
}

function asText({ key, words, buttons }: Seen): string {
  return JSON.stringify([key, words, buttons]);
}

async function act(turn: Turn, who: Name, place: Place, fingers: Fingers): Promise<void> {
  if ('says' in turn) return place.says(who, turn.says);
  if ('calls' in turn) return place.calls(who, turn.calls);
  if ('pressesLate' in turn) return fingers.on(turn.on, turn.pressesLate)(who);
  if ('replies' in turn) return place.replies(who, await cardWith(place, turn.to, null), turn.replies);
  const card = await cardWith(place, turn.on, turn.presses);
  if (turn.writes === undefined) return place.presses(who, card, turn.presses);
  return place.pressesAndWrites(who, card, { label: turn.presses, words: turn.writes });
}

/** The newest one that asks something. */
export async function cardWith(place: Place, words: RegExp, label: string | null): Promise<string> {
  const found = () =>
    place.seen().findLast((one) => words.test(one.words) && one.buttons.some((it) => label === null || it === label));
  await until(
    () => `a card ${words} with ${label ?? 'buttons'}. ${screenOf(place)}`,
    () => found() !== undefined,
  );
  return found()?.key ?? '';
}

/** On every button that was ever seen, the oldest first. */
class Fingers {
  readonly #place: Place;
  readonly #held = new Map<
    string,
    { readonly words: string; readonly label: string; press: (who: Name) => Promise<void> }
  >();

  constructor(place: Place) {
    this.#place = place;
  }

  look(): void {
    for (const { key, words, buttons } of this.#place.seen()) {
      for (const label of buttons) {
        const name = `${key} ${label}`;
        if (!this.#held.has(name)) this.#held.set(name, { words, label, press: this.#place.holds(key, label) });
      }
    }
  }

  on(words: RegExp, label: string): (who: Name) => Promise<void> {
    const found = [...this.#held.values()].find((one) => words.test(one.words) && one.label === label);
    if (!found) throw new Error(`Nobody ever saw ${label} on ${words}. ${screenOf(this.#place)}`);
    return found.press;
  }
}
