// What a reading of something that came in rests on, and what it comes to.
import type { Config, KnockAnswer, Stranger } from '../../../../../config/index.js';
import type { Store } from '../../../../../store/index.js';
import type { Said } from '../../../../inbound/inbox-service.js';
import type { Lately, Rate } from '../../../../inbound/index.js';
import type { Ask, Standing } from './people.js';

/** The bot itself, and the workspace that it is in. */
export interface Me {
  readonly user: string;
  readonly bot: string;
  readonly team: string;
  readonly teamName: string;
  readonly enterprise: string | null;
}

export interface Around {
  readonly me: Me;
  readonly config: Config;
  readonly store: Store;
  readonly rate: Rate;
  readonly lately: Lately;
  readonly now: () => number;
  /** Something that was said there is being worked on. */
  readonly isRecent: (thread: string) => boolean;
  /** null: Slack has to be asked first. */
  readonly standing: (user: string) => Standing | null;
  readonly isSharedOutside: (channel: string) => boolean | null;
  /** The bot is in that channel. */
  readonly isIn: (channel: string) => boolean | null;
  /** Of a user group of the configuration; null: of none; undefined: Slack has to be asked first. */
  readonly groupOf: (user: string) => string | null | undefined;
  readonly knock: (stranger: Stranger) => KnockAnswer | null;
}

/** A window that asks for the words of a press. */
export interface Window {
  readonly trigger: string;
  readonly press: string;
  readonly thread: string;
  /** What is written down where the window cannot be opened: words are asked for in the thread then. */
  readonly instead: Said;
}

export interface Reading {
  /** What is written down, in this order; the last one goes by the name of the whole. */
  readonly says: readonly Said[];
  /** Of a message that will be acted on. */
  readonly receipt: { readonly thread: string; readonly channel: string; readonly ts: string } | null;
  /** What the acknowledgement carries. */
  readonly answer: Readonly<Record<string, unknown>> | null;
  readonly window: Window | null;
  /** Whose home tab was opened. */
  readonly home: string | null;
  readonly log: string | null;
  /** Nothing of all this can be said before that is known. */
  readonly asks: Ask | null;
}

export const silence: Reading = {
  says: [],
  receipt: null,
  answer: null,
  window: null,
  home: null,
  log: null,
  asks: null,
};
