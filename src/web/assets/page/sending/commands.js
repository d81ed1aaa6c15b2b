// Sentences for commands, new tasks and answers with words.
import { complain } from './forms.js';

/** The button's sentence with the words of its form. */
export function commandText(form, button) {
  const note = form.elements.namedItem('note')?.value.trim() ?? '';
  return note === '' ? button.value : `${button.value}: ${note}`;
}

/** Null, after focusing the missing field. */
export function taskText(form) {
  const field = form.elements.namedItem('text');
  const task = field.value.trim();
  if (task === '') {
    complain(form, field, 'Please write what should be done.');
    return null;
  }
  const workflow = form.elements.namedItem('workflow').value;
  return `start ${form.elements.namedItem('project').value}${workflow === '' ? '' : ` with ${workflow}`}: ${task}`;
}

/** True: this button needs words; opens and focuses their field. */
export function lacksWords(form, button, name) {
  const field = form.elements.namedItem(name);
  if (button.dataset.needsText === undefined || field?.value.trim()) return false;
  field?.closest('details')?.setAttribute('open', '');
  complain(form, field, 'Please enter some text for this one.');
  return true;
}

/** Asks in a dialog before a loss; true at once if nothing is lost. */
export function isMeant(button) {
  const { confirm } = button.dataset;
  if (confirm === undefined) return Promise.resolve(true);
  const dialog = document.createElement('dialog');
  dialog.className = 'confirm';
  const form = document.createElement('form');
  form.method = 'dialog';
  const words = document.createElement('p');
  words.textContent = confirm;
  const buttons = document.createElement('div');
  buttons.className = 'buttons';
  const yes = Object.assign(document.createElement('button'), { value: 'yes', className: 'danger' });
  yes.textContent = button.textContent.trim();
  const no = Object.assign(document.createElement('button'), { value: 'no', textContent: 'Cancel', autofocus: true });
  buttons.append(no, yes);
  form.append(words, buttons);
  dialog.append(form);
  dialog.setAttribute('aria-label', 'Please confirm');
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      resolve(dialog.returnValue === 'yes');
      dialog.remove();
    });
  });
}
