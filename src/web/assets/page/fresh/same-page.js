// Filters and views are pages of their own; only the parts that differ are swapped.
import { due } from './freshness.js';
import { moveBegins } from './wait.js';

/** A filter applies as soon as a person chooses it. */
document.addEventListener('change', ({ target }) => {
  if (target.dataset?.submits !== undefined) target.form.requestSubmit();
});

document.addEventListener('change', (event) => {
  const form = event.target.closest?.('form[data-slide]');
  if (!form) return;
  const address = new URL(form.action);
  for (const [name, value] of new FormData(form)) address.searchParams.set(name, value);
  history.replaceState(null, '', address);
  moveBegins();
  due();
});

/** Keeps the scroll position and typed words; swaps the parts of this link or of the address that it names. */
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[data-swaps]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const address = new URL(link.dataset.address || link.href, location.href);
  address.hash = '';
  history.replaceState(null, '', address);
  moveBegins();
  due({ atOnce: true });
});
