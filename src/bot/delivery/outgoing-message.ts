import { createHash } from 'node:crypto';
import type { Message, Thread, View } from '../../store/index.js';

/** Lower first: questions and endings never wait behind progress. */
export const urgency = { final: 0, answer: 1, progress: 2 } as const;

export type Urgency = (typeof urgency)[keyof typeof urgency];

export interface OutgoingMessage {
  /** The first of its card: `m31`. */
  readonly message: string;
  /** The newest of the card. */
  readonly n: number;
  readonly thread: Thread;
  readonly lane: string;
  readonly card: string | null;
  readonly urgency: Urgency;
  readonly view: View;
  readonly place: string | null;
  /** Platform id; null: not in this chat. */
  readonly repliesTo?: string | null;
  /** Platform id, if the thread id lacks it. */
  readonly root: string | null;
  readonly kind?: string | null;
  /** An earlier call may have arrived. */
  readonly isRepeat: boolean;
  /** The platform refused its markup. */
  readonly isPlain: boolean;
  readonly steps: number;
  readonly lostAt?: number;
  readonly lostTimes: number;
  readonly lostAlone: number;
  /** Until then other messages pass it. */
  readonly notBefore?: number;
}

export type PostResult =
  /** `place`: finds it again; `ids`: per part. `isWhole`: done. `root`: it created its thread. */
  | {
      readonly kind: 'posted';
      readonly place: string;
      readonly ids: readonly string[];
      readonly isWhole: boolean;
      readonly root?: string;
    }
  /** The platform shows this content already. */
  | { readonly kind: 'unchanged' }
  /** Rate-limited, without effect. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** No answer. `mayHaveArrived`: it left this machine, so a retry may duplicate it. */
  | { readonly kind: 'lost'; readonly mayHaveArrived: boolean; readonly why: string }
  /** The whole bot is refused; the message is not at fault. */
  | { readonly kind: 'barred'; readonly why: string }
  | { readonly kind: 'gone' }
  /** The platform refuses the markup. */
  | { readonly kind: 'plainer' }
  /** The chat has a new id. */
  | { readonly kind: 'moved'; readonly to: string }
  /** Refused for good. `of`: the unreachable part. */
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

export function urgencyOf({ view, interaction }: Message): Urgency {
  if (view.rings) return urgency.final;
  if (view.settled !== undefined) return urgency.progress;
  return view.kind === 'progress' && interaction === null ? urgency.progress : urgency.answer;
}

export function lookOf({ kind, text, buttons, file }: View): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, text, buttons, file]))
    .digest('base64url')
    .slice(0, 22);
}
