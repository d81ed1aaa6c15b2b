// Builds the delivery result of a step.
import type { OutgoingMessage, PostResult } from '../../../delivery/index.js';
import { type MessagePlace, placeText, type ShownPart } from '../../../delivery/message-steps.js';
import type { SlackCall } from './carrier-answer.js';
import { nextSlackStep, type SlackPiece, type SlackStep } from './carrier-steps.js';

/** The thread's root is unknown; posting anyway would show it to the whole channel. */
export const astray: PostResult = {
  kind: 'refused',
  why: 'it is not known any more where its thread is, and it is not for the whole channel',
  of: 'thread',
};

export function isNew(step: SlackStep): step is Extract<SlackStep, { type: 'say' | 'share' | 'upload' }> {
  return step.type === 'say' || step.type === 'share' || step.type === 'upload';
}

export function isSeen({ type }: SlackStep): boolean {
  return type === 'say' || type === 'share';
}

export function doingOf({ type }: SlackStep): SlackCall {
  if (type === 'say' || type === 'share') return 'send';
  return type === 'upload' ? 'other' : type;
}

export function posted(
  pieces: readonly SlackPiece[],
  place: MessagePlace,
  root: string | null,
): PostResult & { readonly kind: 'posted' } {
  const ids = place.filter(({ kind }) => kind === 'text').map(({ id }) => id);
  const isWhole = nextSlackStep(pieces, place, null) === null;
  return { kind: 'posted', place: placeText(place), ids, isWhole, ...(root === null ? {} : { root }) };
}

export function uploaded(place: MessagePlace, upload: ShownPart): PostResult {
  return { ...posted([], place, null), place: placeText([...place, upload]), isWhole: false };
}

/** Slack refused it even without blocks. */
export function refusedWhole(answer: PostResult, { isPlain }: OutgoingMessage): PostResult {
  if (answer.kind !== 'plainer' || !isPlain) return answer;
  return { kind: 'refused', why: 'Slack takes neither its blocks nor its bare text', of: 'message' };
}
