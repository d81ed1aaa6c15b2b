// The inbox: a list, and the picked card beside it on a wide screen. After an answer the next card is picked. A phone
// shows the list, or the card that the address names.

const lists = '.beside-index:has(> nav)';
const links = () => [...document.querySelectorAll(`${lists} > nav .hit`)];
const idOf = (link) => link?.getAttribute('href')?.slice(1) ?? '';
let index = 0;
let picked = '';

/** On a phone an opened card hides the list. */
export const isPicking = () => links()[0]?.checkVisibility() ?? false;

/** Picks the card with this number, or the nearest, and returns its link in the list. */
function pick(n) {
  const all = links();
  if (all.length === 0) return null;
  index = Math.max(0, Math.min(n, all.length - 1));
  picked = idOf(all[index]);
  const list = document.querySelector(lists);
  list.dataset.picks = '';
  list.toggleAttribute(
    'data-open',
    all.some((link) => link.hash === location.hash),
  );
  for (const card of document.querySelectorAll(`${lists} .card`)) card.classList.toggle('picked', card.id === picked);
  for (const [at, link] of all.entries()) {
    if (at === index) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  return all[index];
}

export function pickNeighbour(by) {
  const isInside = document.activeElement?.closest(lists) !== null;
  return pick(index + (isInside ? by : 0));
}

function again() {
  const kept = links().findIndex((link) => idOf(link) === picked);
  pick(kept === -1 ? index : kept);
}

function fromAddress() {
  const named = links().findIndex((link) => idOf(link) === location.hash.slice(1));
  pick(named === -1 ? index : named);
  if (named !== -1 && !isPicking()) scrollTo({ top: 0 });
}

addEventListener('hashchange', fromAddress);
document.addEventListener('swapped', again);
fromAddress();
