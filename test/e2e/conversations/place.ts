// A place where people talk with Bosun, as they meet it: what they see there, and what they can do.

export type Name = 'ada' | 'bob';

/** One of Bosun's messages as it stands there now. */
export interface Seen {
  readonly key: string;
  readonly words: string;
  readonly buttons: readonly string[];
}

export interface Writing {
  readonly label: string;
  readonly words: string;
  /** Between the press and the words. */
  readonly meanwhile?: () => Promise<void>;
}

export interface Place {
  readonly name: string;
  seen(): readonly Seen[];
  /** What presses were answered for a moment, where a platform shows that. */
  toasts(): readonly string[];
  says(who: Name, words: string): Promise<void>;
  /** By name, where people also talk to each other. */
  calls(who: Name, words: string): Promise<void>;
  /** `to` and `on`: keys of what is seen. */
  replies(who: Name, to: string, words: string): Promise<void>;
  presses(who: Name, on: string, label: string): Promise<void>;
  /** Gives the words that Bosun asks for, in the way in which it asks for them there. */
  pressesAndWrites(who: Name, on: string, writing: Writing): Promise<void>;
  /** A finger on a button, for later: it may be gone by then. */
  holds(on: string, label: string): (who: Name) => Promise<void>;
  /** Bosun is another one from now on. */
  reopened(): void;
  /** All that stands there of Bosun's and that everybody sees, by the platform's names; empty where there is none. */
  posts(): readonly Post[];
}

export interface Post {
  readonly lane: string;
  readonly id: string;
}

export const limitMs = 150_000;
const lookEveryMs = 10;

/** Looks until something holds that nobody tells of. */
export async function until(what: () => string, holds: () => boolean): Promise<void> {
  const end = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`Not within ${limitMs} ms: ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

export function screenOf(place: Place): string {
  const shown = place.seen().map(({ words, buttons }) => [words, ...buttons.map((one) => `[${one}]`)].join('\n  '));
  return `${place.name} shows:\n${shown.map((one) => `- ${one}`).join('\n')}`;
}
