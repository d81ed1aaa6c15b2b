// What delivery is told of a step: where the message is by now, and whether it is whole.
import type { Parcel, Posted } from '../../../delivery/index.js';
import { type Place, placeText, type Shown } from '../../../delivery/message-steps.js';
import type { Doing } from './carrier-answer.js';
import { nextSlackStep, type Piece, type SlackStep } from './carrier-steps.js';

/** It would have to be said to the whole channel. */
export const astray: Posted = {
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

export function doingOf({ type }: SlackStep): Doing {
  if (type === 'say' || type === 'share') return 'send';
  return type === 'upload' ? 'other' : type;
}

export function posted(
  pieces: readonly Piece[],
  place: Place,
  root: string | null,
): Posted & { readonly kind: 'posted' } {
  const ids = place.filter(({ kind }) => kind === 'text').map(({ id }) => id);
  const isWhole = nextSlackStep(pieces, place, null) === null;
  return { kind: 'posted', place: placeText(place), ids, isWhole, ...(root === null ? {} : { root }) };
}

export function uploaded(place: Place, upload: Shown): Posted {
  return { ...posted([], place, null), place: placeText([...place, upload]), isWhole: false };
}

/** Without its blocks it was refused as well. */
export function refusedWhole(answer: Posted, { isPlain }: Parcel): Posted {
  if (answer.kind !== 'plainer' || !isPlain) return answer;
  return { kind: 'refused', why: 'Slack takes neither its blocks nor its bare text', of: 'message' };
}
