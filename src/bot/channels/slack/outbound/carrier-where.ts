// Where a message goes. A thread whose beginning should be known and is not gets nothing: never is it said to the whole
// channel instead.
import type { Parcel } from '../../../delivery/index.js';
import { readPlace } from '../../../delivery/place.js';

export type Where =
  | { readonly type: 'top' }
  | { readonly type: 'thread'; readonly ts: string }
  /** It is what the thread begins with. */
  | { readonly type: 'opening' }
  /** Only this person sees it. */
  | { readonly type: 'only'; readonly user: string }
  /** In a thread, and nobody knows which. */
  | { readonly type: 'unknown' };

export function whereOf({ thread: { address }, root, place }: Parcel): Where {
  const { ts, opened, only } = address;
  if (only !== undefined) return { type: 'only', user: only };
  if (ts !== undefined) return { type: 'thread', ts };
  if (opened === undefined) return { type: 'top' };
  if (root !== null) return { type: 'thread', ts: root };
  return readPlace(place).length === 0 ? { type: 'opening' } : { type: 'unknown' };
}
