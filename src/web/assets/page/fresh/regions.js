// The parts of a page that change. Each is swapped for what the server makes of it now, around what somebody is doing.

import { complain, sending } from '../sending/forms.js';
import { back, place } from './focus.js';
import { isAtEnd, toEnd } from './scroll.js';

const regions = new Map();
const liveRegions = (root) => [...root.querySelectorAll('[data-live]')];
for (const one of liveRegions(document)) regions.set(one.id, one.outerHTML);

export const isAnyLive = document.querySelector('[data-live=""], [data-live="true"]') !== null;

export function swapRegions(fresh) {
  for (const one of liveRegions(fresh)) {
    const old = document.getElementById(one.id);
    if (!old || regions.get(one.id) === one.outerHTML) continue;
    regions.set(one.id, one.outerHTML);
    swap(old, one);
  }
  document.dispatchEvent(new Event('swapped'));
}

/** What somebody is typing stays, also where it is asked no more, and so does what they opened and where they were. */
function swap(old, fresh) {
  const at = place();
  for (const kept of old.querySelectorAll('[data-key]')) {
    const twin = fresh.querySelector(`[data-key="${CSS.escape(kept.dataset.key)}"]`);
    if (!isTouched(kept)) continue;
    if (!twin?.querySelector('textarea, input')) {
      // It goes with the next swap after its words are gone.
      regions.delete(old.id);
      end(kept);
    }
    if (twin) twin.replaceWith(kept);
    else (fresh.querySelector('.grid') ?? fresh).append(kept);
  }
  for (const opened of old.querySelectorAll('details[id]')) {
    const twin = fresh.querySelector(`#${CSS.escape(opened.id)}`);
    if (twin) twin.open = opened.open;
  }
  const ends = new Map(
    [...old.querySelectorAll('[data-follow]')].map((box) => [box.id, isAtEnd(box) ? null : box.scrollTop]),
  );
  const wasAtEnd = old.dataset.follow === 'page' && isAtEnd(document.scrollingElement);
  old.replaceWith(document.adoptNode(fresh));
  for (const [id, top] of ends) {
    const box = document.getElementById(id);
    if (box) box.scrollTop = top ?? box.scrollHeight;
  }
  if (wasAtEnd) toEnd();
  back(at);
}

/** Somebody else has answered, or what was sent from here is about to be told of. */
function end(card) {
  const form = card.querySelector('form');
  if (card.dataset.ended !== undefined || !form) return;
  card.dataset.ended = '';
  for (const one of form.querySelectorAll('button')) one.disabled = true;
  if (!sending.has(form)) complain(form, null, 'Already answered. Your text is still here.');
}

function isTouched(element) {
  return [...element.querySelectorAll('textarea, input')].some(
    (field) =>
      field.value !== field.defaultValue || field.checked !== field.defaultChecked || field === document.activeElement,
  );
}
