// Forms in flight, and problems shown below a form.

/** A form in flight is not sent twice. */
export const sending = new Set();

export function complain(form, field, words) {
  let note = form.querySelector('.problem');
  if (!note) {
    note = document.createElement('p');
    note.className = 'problem';
    note.setAttribute('role', 'alert');
    form.append(note);
  }
  note.textContent = words;
  note.hidden = words === '';
  field?.focus();
}
