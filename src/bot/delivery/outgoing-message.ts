// A message on its way to a chat, and the possible results of one call for it.
import { createHash } from 'node:crypto';
import type { Message, Thread, View } from '../../store/index.js';

/** Lower goes first. Messages that ask or end something never wait behind progress. */
export const urgency = { final: 0, answer: 1, progress: 2 } as const;

export type Urgency = (typeof urgency)[keyof typeof urgency];

export interface OutgoingMessage {
  /** Id of the message that people see, the first of its card: `m31`. */
  readonly message: string;
  /** The outbox row with its content: the newest of the card. */
  readonly n: number;
  readonly thread: Thread;
  /** Differs from the thread's address after the chat got a new id. */
  readonly lane: string;
  readonly card: string | null;
  readonly urgency: Urgency;
  readonly view: View;
  /** Where the platform shows it, wholly or in part; null: not sent, as far as is known. */
  readonly place: string | null;
  /** The platform's id of the message that it replies to, where this chat shows it. */
  readonly repliesTo?: string | null;
  /** The platform's id of the thread's first message, where the thread id lacks it. */
  readonly root: string | null;
  /** The rate-limit kind of its next call. */
  readonly kind?: string | null;
  /** The next send may be a duplicate: an earlier call may have arrived. */
  readonly isRepeat: boolean;
  /** The platform refused its markup. */
  readonly isPlain: boolean;
  /** Calls made for it by this process. */
  readonly steps: number;
  /** When a call for it was last lost, how many were lost, and how many of those while other messages arrived. */
  readonly lostAt?: number;
  readonly lostTimes: number;
  readonly lostAlone: number;
  /** Until then other messages pass it. */
  readonly notBefore?: number;
}

export type PostResult =
  /**
   * `place`: how to find it again; `ids`: one per part. `isWhole`: nothing is left to do. `root`: this message created
   * its thread and identifies it.
   */
  | {
      readonly kind: 'posted';
      readonly place: string;
      readonly ids: readonly string[];
      readonly isWhole: boolean;
      readonly root?: string;
    }
  /** The platform shows this content already. */
  | { readonly kind: 'unchanged' }
  /** Rate-limited; the call had no effect. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** No answer. `mayHaveArrived`: the request left this machine, so a retry may duplicate it. */
  | { readonly kind: 'lost'; readonly mayHaveArrived: boolean; readonly why: string }
  /** The platform refuses the whole bot: no effect, and the message is not at fault. */
  | { readonly kind: 'barred'; readonly why: string }
  /** The message to edit no longer exists. */
  | { readonly kind: 'gone' }
  /** The platform rejects the message's markup. */
  | { readonly kind: 'plainer' }
  /** The chat has a new id. */
  | { readonly kind: 'moved'; readonly to: string }
  /** Permanent failure. `of`: what is out of reach. */
  | { readonly kind: 'refused'; readonly why: string; readonly of: 'message' | 'thread' | 'lane' };

export function outgoingMessageOf(message: Message, thread: Thread, lane: string): OutgoingMessage {
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

/**
 * A card is never progress, not even when it says that it was answered. Below a settled card, the running step is.
 */
export function urgencyOf({ view, interaction }: Message): Urgency {
  if (view.rings) return urgency.final;
  if (view.settled !== undefined) return urgency.progress;
  return view.kind === 'progress' && interaction === null ? urgency.progress : urgency.answer;
}

/** A hash, equal for views that look the same. */
export function lookOf({ kind, text, buttons, file }: View): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, text, buttons, file]))
    .digest('base64url')
    .slice(0, 22);
}
