// Said, and not answered: the chat shows whether it was heard, and what was heard should not be said again.
import { complain } from './forms.js';

let unsure = null;

export function timesSaid(text) {
  return [...document.querySelectorAll('.mine pre')].filter((one) => one.textContent === text).length;
}

/** `before`: how often the chat showed it when it was said. */
export function doubt(form, field, text, before) {
  unsure = { form, field, text, before };
  settle();
}

export function settle() {
  if (!unsure || timesSaid(unsure.text) <= unsure.before) return;
  const { form, field, text } = unsure;
  unsure = null;
  if (field.value.trim() !== text) return;
  form.reset();
  complain(form, null, '');
}
