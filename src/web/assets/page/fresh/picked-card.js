// The inbox on a wide screen: a list, and the picked card beside it. After an answer the next card is picked.

const lists = '.beside-index:has(> nav)';
const links = () => [...document.querySelectorAll(`${lists} > nav .hit`)];
const idOf = (link) => link?.getAttribute('href')?.slice(1) ?? '';
let index = 0;
let picked = '';

/** On a narrow screen the list is hidden. */
export const isPicking = () => links()[0]?.checkVisibility() ?? false;

/** Picks the card with this number, or the nearest, and returns its link in the list. */
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
