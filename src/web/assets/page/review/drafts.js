// Comments on lines of a diff. They wait in this browser until sent as one request, and survive a reload.

import { copyLineLink, lineAt } from './line-range.js';
import { markViewed } from './viewed.js';

const maxKept = 100;
const form = () => document.querySelector('form[data-drafts]');
const storeKey = () => keyOf(form());
const keyOf = (of) => (of?.dataset.drafts === undefined ? null : `drafts-${of.dataset.drafts}`);

/** `at`: the line as people read it. */
function drafts() {
  try {
    return JSON.parse(localStorage.getItem(storeKey() ?? '') ?? '[]');
  } catch {
    return [];
  }
}

function keep(all) {
  const key = storeKey();
  if (key === null) return;
  try {
    if (all.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(all.slice(0, maxKept)));
  } catch {
    // A browser without storage has no drafts.
  }
}

const change = (at, to) => keep(drafts().map((one) => (one.at === at ? { ...one, ...to } : one)));
const written = () => drafts().filter(({ text }) => text.trim() !== '');

/** The comments as numbered lines, then the remark; null without comments. */
export function requestText(of, remark) {
  if (of.dataset.drafts === undefined) return null;
  const lines = written().map(({ at, text }, n) => `${n + 1}. ${at}: ${text.trim()}`);
  return lines.length === 0 ? null : [...lines, ...(remark === '' ? [] : [remark])].join('\n');
}

/** The page may show another review by now, so the form that was sent names the drafts. */
export function dropDrafts(of) {
  localStorage.removeItem(keyOf(of));
  show();
}

/** Repeated after each swap, because the server renders the lines anew. */
function show() {
  for (const old of document.querySelectorAll('.thread')) old.remove();
  const lines = [...document.querySelectorAll('.ln > a.n')];
  for (const draft of drafts()) {
    const line = lines.find(({ dataset }) => dataset.at === draft.at);
    line?.parentElement.after(draft.open ? editor(draft) : comment(draft));
  }
  count();
  markViewed();
}

function count() {
  const told = form()?.querySelector('[data-drafts-count]');
  if (!told) return;
  const { length } = written();
  form().classList.toggle('has-drafts', length > 0);
  told.hidden = length === 0;
  told.textContent = `${length} ${length === 1 ? 'comment becomes' : 'comments become'} the request`;
}

function element(name, props, ...children) {
  const made = Object.assign(document.createElement(name), props);
  made.append(...children);
  return made;
}

function editor({ at, line, text }) {
  const field = element('textarea', { id: `comment-${line}`, rows: 2, value: text, maxLength: 4_000 });
  field.addEventListener('input', () => {
    change(at, { text: field.value });
    count();
  });
  const label = element('label', { htmlFor: field.id, textContent: `Comment on ${at}` });
  const add = element('button', { type: 'button', textContent: 'Add to the request' });
  add.addEventListener('click', () => {
    if (field.value.trim() === '') return field.focus();
    change(at, { open: false });
    show();
    document.getElementById(line)?.focus();
  });
  const link = element('button', { type: 'button', className: 'line', textContent: 'Copy link to line' });
  link.addEventListener('click', () => copyLineLink(document.getElementById(line)));
  const buttons = element('div', { className: 'buttons' }, add, remover(at, line, 'Discard'), link);
  return element('div', { className: 'thread' }, label, field, buttons);
}

function comment({ at, line, text }) {
  const head = element('p', { className: 'soft', textContent: `Your comment on ${at}, goes with the request` });
  const edit = element('button', { type: 'button', className: 'line', textContent: 'Edit' });
  edit.addEventListener('click', () => open(at, line));
  const buttons = element('div', { className: 'buttons' }, edit, remover(at, line, 'Delete'));
  return element('div', { className: 'thread' }, head, element('p', { textContent: text, dir: 'auto' }), buttons);
}

function remover(at, line, textContent) {
  const button = element('button', { type: 'button', className: 'line', textContent });
  button.addEventListener('click', () => {
    keep(drafts().filter((one) => one.at !== at));
    show();
    document.getElementById(line)?.focus();
  });
  return button;
}

function open(at, line) {
  if (!drafts().some((one) => one.at === at)) keep([...drafts(), { at, line, text: '', open: true }]);
  change(at, { open: true });
  show();
  document.getElementById(`comment-${line}`)?.focus();
}

/** Without a review to answer, and with Shift, a line's number is only a link. */
document.addEventListener('click', (event) => {
  const line = event.shiftKey ? null : lineAt(event.target);
  if (!line || !form()) return;
  event.preventDefault();
  open(line.dataset.at, line.id);
});

document.addEventListener('swapped', () => {
  if (!document.activeElement?.closest('.thread')) show();
});
show();
