// Swaps live regions for the server's newest version, and keeps typed words and opened parts.

import { complain, sending } from '../sending/forms.js';
import { back, place } from './focus.js';
import { isAtEnd, rowsInSight, toEnd } from './scroll.js';

const regions = new Map();
const liveRegions = (root) => [...root.querySelectorAll('[data-live]')];
for (const one of liveRegions(document)) regions.set(one.id, one.outerHTML);

export const isAnyLive = document.querySelector('[data-live=""], [data-live="true"]') !== null;

export function swapRegions(fresh) {
  const keep = keepPage();
  for (const one of liveRegions(fresh)) {
    const old = document.getElementById(one.id);
    if (!old || regions.get(one.id) === one.outerHTML) continue;
    regions.set(one.id, one.outerHTML);
    swap(old, one);
  }
  keep();
  document.dispatchEvent(new Event('swapped'));
}

/** For a page that scrolls with its list: stays at the end, or keeps the rows in sight. */
function keepPage() {
  const list = document.querySelector('[data-follow="page"]');
  if (!list) return () => undefined;
  if (isAtEnd(document.scrollingElement)) return toEnd;
  const putBack = rowsInSight(list);
  return () => putBack(document.getElementById(list.id));
}

/** Keeps typed words, even in a card that is settled by now, opened parts, the focus and the scroll position. */
function swap(old, fresh) {
  const at = place();
  for (const kept of old.querySelectorAll('[data-key]')) {
    const twin = fresh.querySelector(`[data-key="${CSS.escape(kept.dataset.key)}"]`);
    if (!isTouched(kept)) continue;
    if (!twin?.querySelector('textarea, input')) {
      // The next swap removes it, once its words are gone.
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
  const boxes = [...old.querySelectorAll('[data-follow="box"]')].map((box) => ({
    id: box.id,
    top: isAtEnd(box) ? null : box.scrollTop,
    putBack: rowsInSight(box),
  }));
  old.replaceWith(document.adoptNode(fresh));
  for (const { id, top, putBack } of boxes) {
    const box = document.getElementById(id);
    if (!box) continue;
    box.scrollTop = top ?? box.scrollHeight;
    if (top !== null) putBack(box);
  }
  back(at);
}

/** Another person has answered, or this page's own answer is about to be told. */
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
