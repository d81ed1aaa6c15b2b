import type { types } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { laneOf } from '../../../../store/index.js';
import type { Carrier, Limits, OutgoingMessage, PostResult } from '../../../delivery/index.js';
import { afterStep, type MessagePlace, placeText, type ShownPart } from '../../../delivery/message-steps.js';
import type { PictureReader } from '../../../render/picture-file.js';
import type { AttachedDocument } from '../../../render/whole.js';
import { signalled } from '../client.js';
import { answerTo, type SlackCall } from './carrier-answer.js';
import { edit, handOver, remove, type Saying, say, share } from './carrier-calls.js';
import {
  duringSlackStep,
  nextSlackStep,
  piecesOf,
  type SlackFile,
  type SlackPiece,
  type SlackStep,
  shownOf,
} from './carrier-steps.js';
import { type FoundPost, look, type Where, whereOf } from './find-posted.js';

/** Slack: one message per second and channel. Progress keeps a longer gap. */
const laneLimits: Limits = { gapMs: 1_000, perMinute: 50, progressGapMs: 3_000 };
/** Slack: several hundred per minute and workspace. */
const allLimits: Limits = { gapMs: 50, perMinute: 240 };
const methodLimits: Limits = { gapMs: 0, perMinute: 48 };
const person = /^[UW]/;
const merelyTells = 2 satisfies OutgoingMessage['urgency'];

export interface SlackCarrier extends Carrier {
  react(at: ReactedTo, emoji: string, isOn: boolean, signal: AbortSignal): Promise<PostResult>;
  publish(user: string, view: types.HomeView, signal: AbortSignal): Promise<PostResult>;
}

export interface ReactedTo {
  readonly channel: string;
  readonly ts: string;
}

export interface CarrierParts {
  /** Tells this Bosun's messages from another's with the same app. */
  readonly home: string;
  readonly pictures: PictureReader;
}

export function slackCarrier(slack: WebClient, parts: CarrierParts): SlackCarrier {
  const poster = new Poster(slack, parts);
  return {
    channel: 'slack',
    laneOf,
    limits: allLimits,
    limitsOf: () => laneLimits,
    kinds: { edit: methodLimits, delete: methodLimits } satisfies Partial<Record<SlackStep['type'], Limits>>,
    kindOf: (parcel) => (parcel.place === null ? null : (stepOf(parcel)?.type ?? null)),
    placeUnderWay: (parcel) => (parcel.place === null ? null : placeUnderWay(parcel)),
    post: (parcel, signal) => signalled(signal, () => poster.post(parcel, signal)),
    probe: (signal) => signalled(signal, () => tried(() => slack.auth.test())),
    // Slack has no typing sign.
    typing: () => Promise.resolve({ kind: 'unchanged' }),
    publish: (user_id, view, signal) => signalled(signal, () => tried(() => slack.views.publish({ user_id, view }))),
    react: ({ channel, ts }, name, isOn, signal) =>
      signalled(signal, () => tried(() => slack.reactions[isOn ? 'add' : 'remove']({ channel, timestamp: ts, name }))),
  };
}

function stepOf(parcel: OutgoingMessage): SlackStep | null {
  const { place, upload } = shownOf(parcel.place);
  return nextSlackStep(piecesOf(parcel), place, upload);
}

function placeUnderWay(parcel: OutgoingMessage): string {
  const { place, upload } = shownOf(parcel.place);
  const step = stepOf(parcel);
  return placeText(step === null ? place : duringSlackStep(place, upload, step));
}

class Poster {
  readonly #slack: WebClient;
  readonly #parts: CarrierParts;
  #botId: string | null = null;

  constructor(slack: WebClient, parts: CarrierParts) {
    this.#slack = slack;
    this.#parts = parts;
  }

  async post(parcel: OutgoingMessage, signal: AbortSignal): Promise<PostResult> {
    if (person.test(parcel.lane)) return this.#open(parcel.lane);
    const where = whereOf(parcel);
    const { place, upload } = shownOf(parcel.place);
    if (where.type === 'only') return this.#whisper(parcel, where, place);
    const pieces = piecesOf(parcel);
    const step = nextSlackStep(pieces, place, upload);
    if (step === null) return posted(pieces, place, null);
    if (where.type === 'unknown' && isNew(step)) return astray;
    return this.#take({ parcel, where, pieces, place, upload, step, signal });
  }

  async #open(user: string): Promise<PostResult> {
    try {
      const { channel } = await this.#slack.conversations.open({ users: user });
      const to = channel?.id;
      if (to === undefined || !/^[A-Z0-9]{2,40}$/.test(to) || person.test(to))
        return { kind: 'lost', mayHaveArrived: false, why: 'Slack opened a conversation without an id' };
      return { kind: 'moved', to };
    } catch (error) {
      return answerTo(error, 'other');
    }
  }

  /** An ephemeral message cannot be found or edited, and all would see its files. */
  async #whisper(parcel: OutgoingMessage, where: Where, place: MessagePlace): Promise<PostResult> {
    const [words, ...files] = piecesOf(parcel);
    if (words?.kind !== 'text' || place[0]?.mark === words.mark) return { kind: 'unchanged' };
    if (place.length > 0 && parcel.urgency === merelyTells) return { kind: 'unchanged' };
    const { isRepeat } = parcel;
    try {
      const id = await say(this.#saying(parcel, where, isRepeat), words, files.length > 0);
      return posted([words], [{ id, kind: 'text', mark: words.mark }], null);
    } catch (error) {
      return refusedWhole(answerTo(error, 'send'), parcel);
    }
  }

  async #take(task: Task): Promise<PostResult> {
    const { parcel, where, step } = task;
    // A first post is doubtful too: another message may have opened the thread.
    const isDoubtful = isSeen(step) && (parcel.isRepeat || where.type === 'opening');
    const looked = isDoubtful ? await this.#look(task) : ({ type: 'absent' } as const);
    switch (looked.type) {
      case 'failed':
        return looked.posted;
      case 'opened':
        return { ...posted(task.pieces, [], null), isWhole: false, root: looked.ts };
      case 'found':
        return this.#arrived(task, looked.ts, looked.mark);
      case 'absent':
      case 'unknown':
        return this.#make(task, parcel.isRepeat && looked.type === 'unknown');
    }
  }

  async #look({ parcel, where, step }: Task): Promise<FoundPost> {
    const botId = await this.#self();
    if (typeof botId !== 'string') return { type: 'failed', posted: botId };
    if (botId === '') return { type: 'unknown' };
    const upload = step.type === 'share' ? step.upload : null;
    return look({ slack: this.#slack, parcel, where, upload, botId, home: this.#parts.home });
  }

  async #self(): Promise<string | PostResult> {
    if (this.#botId !== null) return this.#botId;
    try {
      const { bot_id: id } = await this.#slack.auth.test();
      this.#botId = id ?? '';
      return this.#botId;
    } catch (error) {
      return answerTo(error, 'other');
    }
  }

  async #make(task: Task, isRepeat: boolean): Promise<PostResult> {
    const { parcel, where, place, step } = task;
    try {
      const id = await call(this.#saying(parcel, where, isRepeat), step, task.signal);
      if (step.type === 'upload') return uploaded(place, { id, kind: 'upload', mark: step.piece.mark });
      return this.#arrived(task, id, isNew(step) ? step.piece.mark : '');
    } catch (error) {
      return this.#failed(task, error);
    }
  }

  #saying(parcel: OutgoingMessage, where: Where, isRepeat: boolean): Saying {
    return { slack: this.#slack, ...this.#parts, parcel, where, isRepeat };
  }

  #arrived({ where, pieces, place, step }: Task, id: string, mark: string): PostResult {
    if (step.type === 'upload') return posted(pieces, place, null);
    if (step.type === 'edit' || step.type === 'delete') return posted(pieces, afterStep(place, step, id), null);
    const shown: ShownPart =
      step.type === 'share' ? { ...step.upload, kind: 'file' } : { id, kind: step.piece.kind, mark };
    return posted(pieces, [...place, shown], where.type === 'opening' ? id : null);
  }

  #failed(task: Task, error: unknown): PostResult {
    const { parcel, pieces, place, step } = task;
    const answer = answerTo(error, doingOf(step));
    if (answer.kind === 'unchanged') return this.#arrived(task, '', '');
    // A message that cannot be deleted must not block the rest.
    if (step.type === 'delete' && answer.kind === 'refused' && answer.of === 'message')
      return this.#arrived(task, '', '');
    // Unshared uploads expire: upload again.
    if (step.type === 'share' && answer.kind === 'refused' && /\bfile_not_found\b/.test(answer.why))
      return { ...posted(pieces, place, null), isWhole: false };
    return refusedWhole(answer, parcel);
  }
}

interface Task {
  readonly parcel: OutgoingMessage;
  readonly where: Where;
  readonly pieces: readonly SlackPiece[];
  readonly place: MessagePlace;
  readonly upload: ShownPart | null;
  readonly step: SlackStep;
  readonly signal: AbortSignal;
}

function call(saying: Saying, step: SlackStep, signal: AbortSignal): Promise<string> {
  const { slack, parcel } = saying;
  switch (step.type) {
    case 'say':
      return say(saying, step.piece, false);
    case 'upload':
      return handOver(slack, attached(step.piece, saying.pictures), signal);
    case 'share':
      return share(saying, attached(step.piece, saying.pictures).name, step.upload.id);
    case 'edit':
      return edit(saying, step.piece, step.at.id);
    case 'delete':
      return remove(slack, parcel.lane, step.at.id, step.at.kind === 'file' ? 'file' : 'text');
  }
}

function attached(piece: SlackFile, read: PictureReader): AttachedDocument {
  return 'part' in piece ? piece.part : read(piece.picture);
}

async function tried(call: () => Promise<unknown>): Promise<PostResult> {
  try {
    await call();
    return { kind: 'unchanged' };
  } catch (error) {
    return answerTo(error, 'other');
  }
}

/** Without the root the whole channel would see the post. */
const astray: PostResult = {
  kind: 'refused',
  why: 'it is not known any more where its thread is, and it is not for the whole channel',
  of: 'thread',
};

function isNew(step: SlackStep): step is Extract<SlackStep, { type: 'say' | 'share' | 'upload' }> {
  return step.type === 'say' || step.type === 'share' || step.type === 'upload';
}

function isSeen({ type }: SlackStep): boolean {
  return type === 'say' || type === 'share';
}

function doingOf({ type }: SlackStep): SlackCall {
  if (type === 'say' || type === 'share') return 'send';
  return type === 'upload' ? 'other' : type;
}

function posted(
  pieces: readonly SlackPiece[],
  place: MessagePlace,
  root: string | null,
): PostResult & { readonly kind: 'posted' } {
  const ids = place.filter(({ kind }) => kind === 'text').map(({ id }) => id);
  const isWhole = nextSlackStep(pieces, place, null) === null;
  return { kind: 'posted', place: placeText(place), ids, isWhole, ...(root === null ? {} : { root }) };
}

function uploaded(place: MessagePlace, upload: ShownPart): PostResult {
  return { ...posted([], place, null), place: placeText([...place, upload]), isWhole: false };
}

function refusedWhole(answer: PostResult, { isPlain }: OutgoingMessage): PostResult {
  if (answer.kind !== 'plainer' || !isPlain) return answer;
  return { kind: 'refused', why: 'Slack takes neither its blocks nor its bare text', of: 'message' };
}
