// Keyboard shortcuts. Everything works without them, too.
import './key-titles.js';
import { isPicking, pickNeighbour } from '../fresh/picked-card.js';
import { copyLineLink } from '../review/line-range.js';
import { openPalette } from './palette.js';

/** Single keys disturb people who dictate, so they can be switched off. */
const singleKeys = document.querySelector('#single-keys');
if (singleKeys) {
  singleKeys.checked = localStorage.getItem('single-keys') !== 'off';
  singleKeys.addEventListener('change', () => localStorage.setItem('single-keys', singleKeys.checked ? 'on' : 'off'));
}

let isGoing = false;
let goes = 0;
/** A letter counts for this long after `g`. */
const goesForMs = 1_000;

function going(is) {
  isGoing = is;
  clearTimeout(goes);
  if (is) goes = setTimeout(going, goesForMs, false);
}

const keys = document.querySelector('#keys');
const ways = JSON.parse(keys?.dataset.ways ?? '{}');

document.addEventListener('click', ({ target }) => {
  const opener = target.closest('[data-opens]');
  if (!opener) return;
  opener.closest('details')?.removeAttribute('open');
  document.getElementById(opener.dataset.opens)?.showModal();
});

/** A click elsewhere closes open menus. */
document.addEventListener('click', ({ target }) => {
  for (const menu of document.querySelectorAll('details.drop[open]'))
    if (!menu.contains(target) || target.closest('.menu a')) menu.removeAttribute('open');
});

const singles = {
  '?': () => keys.showModal(),
  '/': (event) => focusOn(event, document.querySelector('[data-first]') ?? document.querySelector('[data-find]')),
  j: (event) => focusOn(event, isPicking() ? pickNeighbour(1) : neighbour(1)),
  k: (event) => focusOn(event, isPicking() ? pickNeighbour(-1) : neighbour(-1)),
  y: (event) => copyLine(event),
  n: (event) => openTask(event),
  a: (event) => approve(event),
  c: (event) => openWords(event),
  z: (event) => openChoice(event, '.attention .snooze'),
  h: (event) => openChoice(event, '.attention .hand'),
  v: () => inCard('[data-viewed]')?.click(),
  r: (event) => runAction(event, ['retry']),
  s: (event) => runAction(event, ['stop', 'continue']),
  '[': (event) => focusOn(event, neighbour(-1, '.file')),
  ']': (event) => focusOn(event, neighbour(1, '.file')),
  '.': (event) => focusOn(event, neighbour(1, changes)),
  ',': (event) => focusOn(event, neighbour(-1, changes)),
  Escape: () => location.hash === '#new' && location.replace('#main'),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [String(n), (event) => takeAnswer(event, n)])),
};

document.addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (key === 'Enter' && target.form && !event.isComposing) return enter(event);
  if (key === 'Enter' && target.matches('.hit')) return openCard(event);
  // Enter opens the subject of the focused card or row.
  if (key === 'Enter' && target.matches(stops)) return target.querySelector('a.whole, a.button, header a')?.click();
  if (key === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey) return openPalette(event);
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (target.closest('input, textarea, select')) {
    if (key === 'Escape') target.blur();
    return;
  }
  if (!singleKeys?.checked || document.querySelector('dialog[open]')) return;
  const wasGoing = isGoing;
  going(key === 'g' && !wasGoing);
  if (wasGoing && ways[key]) location.assign(ways[key]);
  else if (!isGoing) singles[key]?.(event);
});

/** Enter or Ctrl+Enter sends a field. Words alone decide nothing: an answer takes one of its buttons. */
function enter(event) {
  const { form, dataset } = event.target;
  const isMeant = event.ctrlKey || event.metaKey ? form.dataset.act === 'say' : dataset.enter !== undefined;
  if (!isMeant || event.shiftKey) return;
  event.preventDefault();
  if (!event.repeat) form.requestSubmit();
}

/** A phone follows the link, which opens the card. */
function openCard(event) {
  const card = document.querySelector(event.target.hash);
  if (card?.checkVisibility()) focusOn(event, card);
}

function focusOn(event, element) {
  if (!element) return;
  event.preventDefault();
  if (element.tabIndex < 0 && !element.hasAttribute('tabindex')) element.tabIndex = -1;
  element.focus();
  element.scrollIntoView({ block: 'nearest' });
}

const stops = '.card, .file, .list > li:has(a.whole)';
/** Changed code, or a hit in a searched log. */
const changes = '.pair.change a.n:first-of-type, .log .l:has(> bdi mark, > details > summary mark)';

function neighbour(by, of = stops) {
  const cards = [...document.querySelectorAll(of)].filter((one) => one.checkVisibility());
  const here = cards.findIndex((card) => card.contains(document.activeElement));
  return cards[here === -1 && by < 0 ? cards.length - 1 : here + by];
}

/** The focus stays at its hit, so that `n` continues from there. */
document.addEventListener('mousedown', (event) => {
  if (event.target.closest?.('[data-hit]')) event.preventDefault();
});

document.addEventListener('click', (event) => {
  const by = Number(event.target.closest?.('[data-hit]')?.dataset.hit ?? 0);
  if (by !== 0) focusOn(event, neighbour(by, changes));
});

/** Looks in the focused card or file, else takes the page's first one. */
function inCard(selector) {
  const here = document.activeElement?.closest(stops) ?? document.querySelector('[data-picks] .picked');
  return (here ?? document).querySelector(selector) ?? document.querySelector(`.verdict ${selector}`);
}

/** The first press focuses the button; Enter then presses it. */
function approve(event) {
  const button = inCard('button.first');
  if (button && button === document.activeElement) button.click();
  else focusOn(event, button);
}

/** The page's button or field for a command on its run. */
function runAction(event, verbs) {
  const found = verbs
    .map((verb) => document.querySelector(`.actions button[value^="${verb} "], #${verb} > summary`))
    .find(Boolean);
  const words = found?.matches('summary') ? found.parentElement : found?.closest('details.worded');
  if (!words) return focusOn(event, found);
  words.open = true;
  focusOn(event, words.querySelector('textarea'));
}

/** Focuses the answer with this number in the focused card. */
function takeAnswer(event, n) {
  const card = document.activeElement?.closest('.card') ?? document.querySelector('[data-picks] .picked');
  if (card) focusOn(event, card.querySelectorAll('.answer button[name="press"]')[n - 1]);
}

/** Opens the times or people of the focused card. */
function openChoice(event, selector) {
  const details = inCard(selector);
  if (!details) return;
  details.open = true;
  focusOn(event, details.querySelector('button'));
}

function openWords(event) {
  const line = document.activeElement?.closest('.ln > a.n');
  if (line && document.querySelector('form[data-drafts]')) {
    event.preventDefault();
    return line.click();
  }
  const details = inCard('form.answer details, .verdict details');
  if (!details) return;
  details.open = true;
  focusOn(event, details.querySelector('textarea'));
}

function copyLine(event) {
  if (copyLineLink(document.activeElement?.closest('.ln > a.n'))) event.preventDefault();
}

function openTask(event) {
  const field = document.querySelector('#new-task');
  if (!field) return;
  location.hash = '#new';
  focusOn(event, field);
}
