// Sends answers and words. Typed words stay in their field until Bosun has taken them.

import { due, endSession, sayLoggedOut } from '../fresh/freshness.js';
import { toEnd } from '../fresh/scroll.js';
import { ask, say } from '../note.js';
import { dropDrafts, requestText } from '../review/drafts.js';
import { showBusy } from './busy-button.js';
import { commandText, isMeant, lacksWords, taskText } from './commands.js';
import { complain, sending } from './forms.js';
import { dropKey, keyHeaders } from './key.js';
import { doubt, timesSaid } from './unsure.js';

const { thread } = document.documentElement.dataset;

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!form.dataset.act) return;
  event.preventDefault();
  if (sending.has(form)) return;
  void acts[form.dataset.act]?.(form, event.submitter);
});

const acts = { logout: logOut, say: sayIt, press, command, task };

async function press(form, button) {
  const remark = form.elements.namedItem('text')?.value.trim() ?? '';
  const request = requestText(form, remark);
  if (request === null && lacksWords(form, button, 'text')) return;
  if (!(await isMeant(button))) return;
  const isSent = await send(
    form,
    '/api/press',
    { press: button.value, text: (request ?? remark) || null, thread },
    { button, typed: remark },
  );
  if (isSent !== null && request !== null) dropDrafts(form);
}

async function command(form, button) {
  if (lacksWords(form, button, 'note') || !(await isMeant(button))) return;
  const typed = form.elements.namedItem('note')?.value.trim() ?? '';
  const isSaid = await send(form, '/api/say', { text: commandText(form, button), thread }, { button, typed });
  if (isSaid) form.closest('details')?.removeAttribute('open');
}

async function task(form, button) {
  const text = taskText(form);
  const said = text === null ? null : await send(form, '/api/say', { text, thread }, { button });
  if (said === null) return;
  if (button?.name === 'place') await moveFirst(form, said, button);
  location.assign(`/projects/${encodeURIComponent(form.elements.namedItem('project').value)}`);
}

/** The proposal's buttons name its run; the queue lists it already. */
async function moveFirst(form, { items }, button) {
  const presses = items.flatMap(({ buttons }) => buttons).map(({ press }) => /^i(\d+)-\d+\.start$/.exec(press));
  const number = presses.find((one) => one !== null)?.[1];
  if (number !== undefined) await send(form, '/api/say', { text: `move q${number} first`, thread }, { button });
}

async function sayIt(form, button) {
  const field = form.elements.namedItem('text');
  const text = field.value.trim();
  if (text === '') return field.focus();
  const before = timesSaid(text);
  const about = new FormData(form).get('about') ?? form.dataset.about;
  const said = about === undefined ? text : `${about}: ${text}`;
  if (await send(form, '/api/say', { text: said, thread }, { button, typed: text })) return field.focus();
  doubt(form, field, text, before);
}

/** The response is a page, which replaces this one. */
async function logOut(form) {
  sending.add(form);
  try {
    const headers = { accept: 'text/html', ...keyHeaders() };
    const reply = await fetch(form.action, { method: 'POST', headers });
    const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
    if (reply.ok) {
      dropKey();
      endSession();
    }
    document.title = page.title;
    document.body.replaceWith(document.adoptNode(page.body));
  } catch {
    say("Can't reach Bosun: you are still logged in.");
  } finally {
    sending.delete(form);
  }
}

/** Bosun's answer, or null; `typed`: the field's words at the time of sending. */
async function send(form, path, body, { button, typed = body.text ?? '' }) {
  const buttons = [...form.querySelectorAll('button')].filter((one) => one !== button);
  const isDone = showBusy(button);
  for (const one of buttons) one.disabled = true;
  sending.add(form);
  complain(form, null, '');
  try {
    const reply = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...keyHeaders() },
      body: JSON.stringify(body),
    });
    if (reply.status === 401) {
      sayLoggedOut();
      return null;
    }
    const said = await reply.json();
    if (!reply.ok) throw new Error(withoutCodes([said.detail, said.error?.hint].filter(Boolean).join(' ')));
    // A command's button is named text; its words are the note.
    const field = form.elements.namedItem('note') ?? form.querySelector('[name="text"]:not(button)');
    // Words typed since then are not sent yet.
    if (form.dataset.act !== 'task' && (!field || field.value?.trim() === typed)) form.reset();
    form.closest('[data-ended]')?.remove();
    tell(form, said);
    due({ atOnce: true });
    return said;
  } catch (error) {
    complain(form, null, error.name === 'Error' ? error.message : "Can't reach Bosun. Your text is still here.");
    return null;
  } finally {
    sending.delete(form);
    isDone();
    const isEnded = form.closest('[data-ended]') !== null;
    for (const one of [...buttons, ...(button ? [button] : [])]) one.disabled = isEnded;
  }
}

/** Result codes such as E006 are for terminals and JSON, so the page hides them. */
const withoutCodes = (text) => text.replace(/ \([EW]00\d\)|(?<=^|[\s(])[EW]00\d: /gm, '');

/** Shows Bosun's answer in the note; the chat shows it among the messages. */
function tell(form, { items, exit }) {
  const { act, about } = form.dataset;
  const last = items?.findLast((one) => one.kind !== 'progress');
  const told = withoutCodes(last?.text ?? 'Noted.');
  if (act === 'task' && exit !== 0) throw new Error(told);
  if (act === 'say' && about === undefined) return toEnd();
  form.closest('dialog')?.close();
  if (act === 'task') return;
  // An answer with a Cancel button has done nothing yet.
  const asks = last?.kind === 'answer' && last.buttons.some(({ label }) => label === 'Cancel');
  if (asks) ask(told, last.buttons);
  else say(told, { offers: last?.kind === 'ack' ? last.buttons : [] });
}
