// What is played while Bosun is killed: a project, an agent, and what a person says in turn.
import type { Shown } from './wire.js';

export interface Turn {
  /** What is sent; of a reply or a button, the message that it answers is looked for first. */
  readonly says: Said;
  /** Whether Bosun has heard it, as far as a person can see. */
  readonly isHeard: (seen: Seen) => boolean;
}

export type Said =
  | { readonly do: 'say'; readonly text: string }
  /** To a card of this kind. */
  | { readonly do: 'reply'; readonly kind: string; readonly text: string }
  /** The button of this label. */
  | { readonly do: 'press'; readonly label: string }
  | { readonly do: 'run'; readonly project: string; readonly task: string }
  | { readonly do: 'import'; readonly project: string; readonly stories: unknown; readonly file: string };

export interface Seen {
  readonly status: {
    readonly run: { readonly status: string } | null;
    readonly items: readonly { readonly key: string; readonly status: string }[];
    readonly nodes: readonly { readonly template: string; readonly state: string }[];
    readonly interactions: readonly { readonly kind: string }[];
  };
  readonly texts: readonly string[];
}

export interface Scene {
  readonly name: 'demo' | 'stories' | 'gate';
  readonly turns: readonly Turn[];
  /** Of the project's own; its settings are those that differ from other scenes. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Puts the project's files into a folder that is not there yet. */
  furnish(project: string, installed: string): void;
  readonly agent: { readonly file: string; readonly text: string; readonly program: string };
  /** What files for other tools say that must be equal however often Bosun was killed. */
  exported(project: string): unknown;
  /** Whether each of Bosun's own git commands that changes anything is logged, and takes a moment longer. */
  readonly watchesGit: boolean;
}

/** The newest that can be answered. */
export function fits(says: Said): ((message: Shown) => boolean) | null {
  if (says.do === 'reply') return ({ kind, buttons }) => kind === says.kind && buttons.length > 0;
  if (says.do === 'press') return ({ buttons }) => buttons.some((one) => one.label === says.label);
  return null;
}

export function requestOf(says: Said, card: Shown | null): object {
  if (says.do === 'reply') return { do: 'say', text: says.text, replyTo: card?.id };
  if (says.do === 'press') {
    return { do: 'press', press: card?.buttons.find((one) => one.label === says.label)?.press };
  }
  return says;
}
