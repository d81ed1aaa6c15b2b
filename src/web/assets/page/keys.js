// What keys do. All of it can be reached without them.

/** Keys without a modifier are in the way of whoever speaks instead of typing: they can be switched off. */
const singleKeys = document.querySelector('#single-keys');
if (singleKeys) {
  singleKeys.checked = localStorage.getItem('single-keys') !== 'off';
  singleKeys.addEventListener('change', () => localStorage.setItem('single-keys', singleKeys.checked ? 'on' : 'off'));
}

let isGoing = false;
const ways = JSON.parse(document.querySelector('#keys')?.dataset.ways ?? '{}');

document.addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (key === 'Enter' && target.form && !event.isComposing) return enter(event);
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (target.closest('input, textarea, select')) {
    if (key === 'Escape') target.blur();
    return;
  }
  if (!singleKeys?.checked) return;
  const wasGoing = isGoing;
  isGoing = key === 'g' && !wasGoing;
  if (wasGoing && ways[key]) location.assign(ways[key]);
  else if (key === '?') toKeys();
  else if (key === '/') focusOn(event, document.querySelector('[data-first]'));
  else if (key === 'j' || key === 'k') focusOn(event, neighbour(key === 'j' ? 1 : -1));
});

/** Says what stands in the chat. Words alone decide nothing: an answer takes one of its buttons. */
function enter(event) {
  const { form, dataset } = event.target;
  const isMeant = event.ctrlKey || event.metaKey ? form.dataset.act === 'say' : dataset.enter !== undefined;
  if (!isMeant || event.shiftKey) return;
  event.preventDefault();
  if (!event.repeat) form.requestSubmit();
}

function focusOn(event, element) {
  if (!element) return;
  event.preventDefault();
  element.focus();
  element.scrollIntoView({ block: 'nearest' });
}

function neighbour(by) {
  const cards = [...document.querySelectorAll('.card')];
  const here = cards.findIndex((card) => card.contains(document.activeElement));
  return cards[here === -1 && by < 0 ? cards.length - 1 : here + by];
}

function toKeys() {
  const keys = document.querySelector('#keys');
  keys.open = true;
  keys.querySelector('summary').focus();
}
