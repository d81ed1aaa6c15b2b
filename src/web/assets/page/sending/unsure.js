// A message without a response: the chat shows if Bosun received it, and a received one should not be sent again.
import { complain } from './forms.js';

let unsure = null;

export function timesSaid(text) {
  return [...document.querySelectorAll('.mine pre')].filter((one) => one.textContent === text).length;
}

/** `before`: how often the chat showed the text at the time of sending. */
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
