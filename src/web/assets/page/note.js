// A note about the latest action. It disappears unless it has a link or must stay.

let forget = 0;

/** `offers`: buttons such as an undo, which keep the note a little longer. */
export function say(words, { more = null, offers = [], stays = more !== null } = {}) {
  const note = document.createElement('p');
  note.textContent = words.length > 600 ? `${words.slice(0, 600)} …` : words;
  if (more) note.append(Object.assign(document.createElement('a'), { textContent: more.text, href: more.href }));
  for (const { label, press } of offers.slice(0, 2)) note.append(offer(label, press));
  document.querySelector('#said').replaceChildren(note);
  clearTimeout(forget);
  if (!stays) forget = setTimeout(() => note.remove(), offers.length > 0 ? 8_000 : 6_000);
}

/** A form like the page's own, so that it is sent the same way. */
function offer(label, press) {
  const form = document.createElement('form');
  form.dataset.act = 'press';
  form.append(Object.assign(document.createElement('button'), { textContent: label, value: press, className: 'line' }));
  return form;
}

const maxOffers = 6;

/** A question stays until one of its buttons is pressed or it is closed. */
export function ask(words, offers) {
  const dialog = document.createElement('dialog');
  dialog.className = 'confirm';
  dialog.setAttribute('aria-label', 'Bosun asks');
  const said = Object.assign(document.createElement('p'), { textContent: words.slice(0, 4_000) });
  const buttons = Object.assign(document.createElement('div'), { className: 'buttons' });
  const close = Object.assign(document.createElement('button'), {
    type: 'button',
    textContent: 'Close',
    className: 'line',
  });
  close.addEventListener('click', () => dialog.close());
  buttons.append(...offers.slice(0, maxOffers).map(({ label, press }) => offer(label, press)), close);
  dialog.append(said, buttons);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

export function hush() {
  document.querySelector('#said').replaceChildren();
}
