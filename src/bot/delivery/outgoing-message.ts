// What is on its way to one place of a chat platform: a message to send, or the newest words of one that is there.
import { createHash } from 'node:crypto';
import type { Message, Thread, View } from '../../store/index.js';

/** Lower goes first. What decides something, or ends it, never waits behind what merely tells. */
export const urgency = { final: 0, answer: 1, progress: 2 } as const;

export type Urgency = (typeof urgency)[keyof typeof urgency];

export interface OutgoingMessage {
  /** The message that a person sees: the first of its card, `m31`. */
  readonly message: string;
  /** The row of the outbox whose words it carries: the newest of the card. */
  readonly n: number;
  readonly thread: Thread;
  /** The chat that it goes to; another than the thread tells where that one got a new id. */
  readonly lane: string;
  readonly card: string | null;
  readonly urgency: Urgency;
  readonly view: View;
  /** Where the platform shows it, or the beginning of it, already; null: not yet, as far as is known. */
  readonly place: string | null;
  /** What its thread begins with on the platform, where its id does not tell; null: nothing that is known. */
  readonly root: string | null;
  /** Of its next call, where the platform counts such calls by themselves. */
  readonly kind?: string | null;
  /** What is sent next may have arrived already, and nobody knows. */
  readonly isRepeat: boolean;
  /** Its markup was refused. */
  readonly isPlain: boolean;
  /** Calls that were made for it in this process. */
  readonly steps: number;
  /** When it was last lost, how often, and how often of that while others arrived. */
  readonly lostAt?: number;
  readonly lostTimes: number;
  readonly lostAlone: number;
  /** Until then others pass it. */
  readonly notBefore?: number;
}

/** What came of one call of the platform. */
export type PostResult =
  /**
   * `place`: how the platform finds it again; `ids`: its own for each part. Whole: nothing is left to do. `root`: this
   * very message opened its thread, which is known by that from now on.
   */
  | {
      readonly kind: 'posted';
      readonly place: string;
      readonly ids: readonly string[];
      readonly isWhole: boolean;
      readonly root?: string;
    }
  /** It shows these very words already. */
  | { readonly kind: 'unchanged' }
  /** Not before then; nothing was done. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** The call was lost. `mayHaveArrived`: it had left this machine, and would show a second time. */
  | { readonly kind: 'lost'; readonly mayHaveArrived: boolean; readonly why: string }
  /** The platform refuses the bot, whatever it does: nothing was done, and nothing is at fault but its access. */
  | { readonly kind: 'barred'; readonly why: string }
  /** What was to be edited is gone. */
  | { readonly kind: 'gone' }
  /** The platform does not understand its markup. */
  | { readonly kind: 'plainer' }
  /** The chat has another id now. */
  | { readonly kind: 'moved'; readonly to: string }
  /** No further try helps; `of`: who is out of reach. */
  | { readonly kind: 'refused'; readonly why: string; readonly of: 'message' | 'thread' | 'lane' };

export function parcelOf(message: Message, thread: Thread, lane: string): OutgoingMessage {
  return {
    message: message.edits ?? message.id,
    n: Number(message.id.slice(1)),
    thread,
    lane,
    card: message.card,
    urgency: urgencyOf(message),
    view: message.view,
    place: null,
    root: null,
    isRepeat: false,
    isPlain: false,
    steps: 0,
    lostTimes: 0,
    lostAlone: 0,
  };
}

/** What belongs to a question is never mere progress, also when it says that it was answered. */
export function urgencyOf({ view, interaction }: Message): Urgency {
  if (view.rings) return urgency.final;
  return view.kind === 'progress' && interaction === null ? urgency.progress : urgency.answer;
}

/** The same for two views that look the same, and for no others. */
export function lookOf({ kind, text, buttons, file }: View): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, text, buttons, file]))
    .digest('base64url')
    .slice(0, 22);
}
