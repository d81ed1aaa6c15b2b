// Whose turn it is among the lanes, and when the next one's comes.
import type { Route } from './route.js';

/** When what is on disk could not be read, it is tried again. */
const rereadMs = 5_000;

/** Of those that may be called: the most urgent, and then the one that was not called for longest. */
export function nextRoute(active: Iterable<Route>, now: number, allAt: number): Route | null {
  let best: Route | null = null;
  let most = 0;
  for (const route of active) {
    // When one is due is asked only where it has work, and may leave it without any.
    if (!route.hasWork || route.dueAt(now, allAt) > now || !route.hasWork) continue;
    const urgent = route.urgencyAt(now);
    if (best !== null && (urgent > most || (urgent === most && route.lastCallAt >= best.lastCallAt))) continue;
    best = route;
    most = urgent;
  }
  return best;
}

/** When one of them is to be looked at again; never: infinity. */
export function wakeAt(active: Iterable<Route>, now: number, allAt: number): number {
  let at = Number.POSITIVE_INFINITY;
  for (const route of active) {
    if (route.hasWork) at = Math.min(at, route.dueAt(now, allAt));
    else if (route.isShort && !route.isCalling) at = Math.min(at, now + rereadMs);
  }
  return at;
}
