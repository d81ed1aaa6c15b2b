// A slider: each place of it is a page of its own.
import { due } from './freshness.js';
import { moveBegins } from './wait.js';

/** A filter is applied as soon as it is chosen. */
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
