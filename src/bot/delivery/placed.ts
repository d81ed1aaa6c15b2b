// What is known of a message just before a call is made for it.
import type { CourierParts } from './carrier.js';
import { lookOf, type Parcel, urgency } from './outgoing-message.js';
import type { Route } from './route.js';

/** null: newer words are shown, or the same, or nobody is there for what merely tells. */
export function placed(
  route: Route,
  taken: Parcel,
  { rows, clock }: Pick<CourierParts, 'rows' | 'clock'>,
): Parcel | null {
  const post = rows.post(taken.message);
  const isThere = post !== null && post.lane === route.name;
  const isShown = isThere && post.shown === lookOf(taken.view);
  const isOld = isThere && post.n > taken.n;
  const isVain = taken.urgency === urgency.progress && route.isDead(taken.thread.id, clock.now());
  if (!isOld && !isShown && !isVain) {
    return { ...taken, place: isThere ? post.place : null, root: rows.root(taken.thread.id) };
  }
  rows.end(taken.n, isShown ? 'sent' : 'superseded', null);
  return null;
}
