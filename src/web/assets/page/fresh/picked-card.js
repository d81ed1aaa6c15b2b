// The inbox on a wide screen: a list, and beside it the card that is picked from it. After an answer the next card is picked.

const lists = '.beside-index:has(> nav)';
const links = () => [...document.querySelectorAll(`${lists} > nav .hit`)];
const idOf = (link) => link?.getAttribute('href')?.slice(1) ?? '';
let index = 0;
let picked = '';

/** The list is there, and not only for a narrow screen. */
export const isPicking = () => links()[0]?.checkVisibility() ?? false;

/** The card with this number, or the nearest; returns its link in the list. */
function pick(n) {
  const all = links();
  if (all.length === 0) return null;
  index = Math.max(0, Math.min(n, all.length - 1));
  picked = idOf(all[index]);
  document.querySelector(lists).dataset.picks = '';
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
}

addEventListener('hashchange', fromAddress);
document.addEventListener('swapped', again);
fromAddress();
