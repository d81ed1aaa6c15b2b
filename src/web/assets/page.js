// What a page does beside being read: it stays fresh, sends answers, and follows the keyboard. Everything shown is made by
// the server; this swaps the parts that changed.

const regions = new Map();
const state = {
  version: document.documentElement.dataset.version ?? '',
  isDue: false,
  isBusy: false,
  lastAt: Date.now(),
  failed: 0,
  isOut: false,
};
const { thread, gap: minGapMs = 700, still } = document.documentElement.dataset;
const link = document.querySelector('#link');

const liveRegions = (root) => [...root.querySelectorAll('[data-live]')];
for (const one of liveRegions(document)) regions.set(one.id, one.outerHTML);
/** Nothing to keep fresh, or nothing that changes: such a page is as it was loaded, and asks for nothing. */
const isStill = still !== undefined || regions.size === 0;
if (isStill) link?.remove();

// ——— freshness

let source = null;

/** A browser has few connections to one place: a page that nobody sees holds none, and catches up when it is seen. */
function attend() {
  if (isStill || state.isOut) return;
  if (document.hidden) return leave();
  if (!source) connect();
  if (state.isDue) due();
}

function leave() {
  source?.close();
  source = null;
}

function connect() {
  const own = new EventSource(`/live?after=${encodeURIComponent(state.version)}`);
  source = own;
  own.addEventListener('open', tell);
  own.addEventListener('changed', (event) => {
    state.version = event.lastEventId;
    due();
  });
  own.addEventListener('error', () => {
    tell();
    if (own.readyState !== EventSource.CLOSED || source !== own) return;
    source = null;
    setTimeout(attend, 2_000);
    due();
  });
}

document.addEventListener('visibilitychange', attend);
addEventListener('pagehide', leave);
addEventListener('pageshow', attend);

/** Whether what is seen is so now: Bosun is heard, and the last look at it went well. */
function tell() {
  if (!link) return;
  const isHeard = source?.readyState === EventSource.OPEN;
  link.dataset.state = isHeard && state.failed === 0 ? 'ok' : 'lost';
  link.querySelector('.word').textContent = state.isOut
    ? 'Logged out'
    : !isHeard
      ? 'Reconnecting…'
      : state.failed > 0
        ? 'Not up to date'
        : 'Live';
}

function due() {
  state.isDue = true;
  if (isStill || state.isOut || isComposing || document.hidden || state.isBusy) return;
  state.isBusy = true;
  const backoffMs = state.failed === 0 ? 0 : Math.min(10_000, 500 * 2 ** state.failed);
  setTimeout(refresh, Math.max(0, state.lastAt + Math.max(Number(minGapMs), backoffMs) - Date.now()));
}

async function refresh() {
  state.isDue = false;
  try {
    const reply = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (reply.status === 401) return sayLoggedOut();
    if (!reply.ok) throw new Error(`the page could not be made: ${reply.status}`);
    const text = await reply.text();
    // A word that is being put together would be lost: it is looked at again afterwards.
    if (isComposing) return due();
    const fresh = new DOMParser().parseFromString(text, 'text/html');
    swapAll(fresh);
    state.failed = 0;
  } catch {
    state.failed += 1;
    state.isDue = true;
  } finally {
    tell();
    state.lastAt = Date.now();
    state.isBusy = false;
    if (isMoved && !state.isDue) waited();
    if (state.isDue) due();
  }
}

function swapAll(fresh) {
  for (const one of liveRegions(fresh)) {
    const old = document.getElementById(one.id);
    if (!old || regions.get(one.id) === one.outerHTML) continue;
    regions.set(one.id, one.outerHTML);
    swap(old, one);
  }
  document.title = fresh.title;
  settle();
}

/** What somebody is typing stays, also where it is asked no more, and so does what they opened and where they were. */
function swap(old, fresh) {
  const at = place();
  for (const kept of old.querySelectorAll('[data-key]')) {
    const twin = fresh.querySelector(`[data-key="${CSS.escape(kept.dataset.key)}"]`);
    if (!isTouched(kept)) continue;
    if (!twin?.querySelector('textarea')) {
      // It goes with the next swap after its words are gone.
      regions.delete(old.id);
      end(kept);
    }
    if (twin) twin.replaceWith(kept);
    else (fresh.querySelector('.grid') ?? fresh).append(kept);
  }
  for (const opened of old.querySelectorAll('details[id]')) {
    const twin = fresh.querySelector(`#${CSS.escape(opened.id)}`);
    if (twin) twin.open = opened.open;
  }
  const ends = new Map(
    [...old.querySelectorAll('[data-follow]')].map((box) => [box.id, isAtEnd(box) ? null : box.scrollTop]),
  );
  const wasAtEnd = old.dataset.follow === 'page' && isAtEnd(document.scrollingElement);
  old.replaceWith(document.adoptNode(fresh));
  for (const [id, top] of ends) {
    const box = document.getElementById(id);
    if (box) box.scrollTop = top ?? box.scrollHeight;
  }
  if (wasAtEnd) toEnd();
  back(at);
}

/** Somebody else has answered, or what was sent from here is about to be told of. */
function end(card) {
  const form = card.querySelector('form');
  if (card.dataset.ended !== undefined || !form) return;
  card.dataset.ended = '';
  for (const one of form.querySelectorAll('button')) one.disabled = true;
  if (!sending.has(form)) complain(form, null, 'Answered meanwhile. What you wrote is still here.');
}

const isAtEnd = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < 60;
const toEnd = () => document.scrollingElement.scrollTo({ top: document.scrollingElement.scrollHeight });

function isTouched(element) {
  return [...element.querySelectorAll('textarea, input')].some(
    (field) => field.value !== field.defaultValue || field === document.activeElement,
  );
}

function place() {
  const { activeElement: one } = document;
  const key = one?.closest('[data-key]')?.dataset.key ?? null;
  const range = one instanceof HTMLTextAreaElement ? [one.selectionStart, one.selectionEnd] : null;
  return one === document.body
    ? null
    : { one, key, id: one?.id, range, value: one?.getAttribute?.('value'), href: one?.getAttribute?.('href') };
}

function back(at) {
  if (!at || document.activeElement === at.one) return;
  const around = at.key === null ? document : document.querySelector(`[data-key="${CSS.escape(at.key)}"]`);
  const twin =
    (at.one?.isConnected && at.one) ||
    (at.id && document.getElementById(at.id)) ||
    (at.value && around?.querySelector(`button[value="${CSS.escape(at.value)}"]`)) ||
    (at.href && around?.querySelector(`a[href="${CSS.escape(at.href)}"]`));
  if (!twin) return;
  twin.focus({ preventScroll: true });
  if (at.range && twin instanceof HTMLTextAreaElement) twin.setSelectionRange(...at.range);
}

// ——— answers

/** What is on its way is not said again. */
const sending = new Set();

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!form.dataset.act) return;
  event.preventDefault();
  if (sending.has(form)) return;
  void (form.dataset.act === 'say' ? sayIt(form) : press(form, event.submitter));
});

async function press(form, button) {
  const field = form.elements.namedItem('text');
  const text = field?.value.trim() || null;
  if (button.dataset.needsText !== undefined && text === null)
    return complain(form, field, 'This one needs words: say what.');
  await send(form, '/api/press', { press: button.value, text, thread });
}

async function sayIt(form) {
  const field = form.elements.namedItem('text');
  const text = field.value.trim();
  if (text === '') return field.focus();
  const before = timesSaid(text);
  if (await send(form, '/api/say', { text, thread })) return field.focus();
  unsure = { form, field, text, before };
  settle();
}

/** Said, and not answered: the chat shows whether it was heard, and what was heard should not be said again. */
let unsure = null;

function settle() {
  if (!unsure || timesSaid(unsure.text) <= unsure.before) return;
  const { form, field, text } = unsure;
  unsure = null;
  if (field.value.trim() !== text) return;
  form.reset();
  complain(form, null, '');
}

function timesSaid(text) {
  return [...document.querySelectorAll('.mine pre')].filter((one) => one.textContent === text).length;
}

async function send(form, path, body) {
  const buttons = [...form.querySelectorAll('button')];
  for (const one of buttons) one.disabled = true;
  sending.add(form);
  complain(form, null, '');
  try {
    const reply = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (reply.status === 401) {
      sayLoggedOut();
      return false;
    }
    const said = await reply.json();
    if (!reply.ok) throw new Error([said.detail, said.error?.hint].filter(Boolean).join(' '));
    const field = form.elements.namedItem('text');
    // What was typed meanwhile was not said yet.
    if (!field || field.value.trim() === (body.text ?? '')) form.reset();
    form.closest('[data-ended]')?.remove();
    if (form.dataset.act === 'press') say(said.items?.findLast((one) => one.kind !== 'progress')?.text ?? 'Noted.');
    if (form.dataset.act === 'say') toEnd();
    due();
    return true;
  } catch (error) {
    complain(
      form,
      null,
      error.name === 'Error' ? error.message : 'Bosun cannot be reached now. What you wrote is still here.',
    );
    return false;
  } finally {
    sending.delete(form);
    for (const one of buttons) one.disabled = form.closest('[data-ended]') !== null;
  }
}

function complain(form, field, words) {
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

let forget = 0;
function say(words, more = null) {
  const note = document.createElement('p');
  note.textContent = words.length > 600 ? `${words.slice(0, 600)} …` : words;
  if (more) note.append(Object.assign(document.createElement('a'), { textContent: more.text, href: more.href }));
  document.querySelector('#said').replaceChildren(note);
  clearTimeout(forget);
  if (!more) forget = setTimeout(() => note.remove(), 6_000);
}

function sayLoggedOut() {
  state.isOut = true;
  leave();
  tell();
  say('You are logged out here. ', { text: 'Log in', href: '/login' });
}

// ——— the slider: each place of it is a page of its own

document.addEventListener('change', (event) => {
  const form = event.target.closest?.('form[data-slide]');
  if (!form) return;
  const address = new URL(form.action);
  for (const [name, value] of new FormData(form)) address.searchParams.set(name, value);
  history.replaceState(null, '', address);
  isMoved = true;
  wait();
  due();
});

// ——— what takes long is waited for in sight

const main = document.querySelector('main');
let soon = 0;
let isMoved = false;

function wait() {
  clearTimeout(soon);
  soon = setTimeout(() => {
    main.setAttribute('aria-busy', 'true');
    say('Loading…');
    clearTimeout(forget);
  }, 300);
}

function waited() {
  isMoved = false;
  clearTimeout(soon);
  if (!main.hasAttribute('aria-busy')) return;
  main.removeAttribute('aria-busy');
  document.querySelector('#said').replaceChildren();
}

addEventListener('beforeunload', wait);
addEventListener('pageshow', waited);

// ——— time goes on

setInterval(() => {
  for (const one of document.querySelectorAll('time[data-since]'))
    one.textContent = span(Date.now() - Number(one.dataset.since));
}, 1_000);

function span(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

// ——— keys

let isComposing = false;
for (const kind of ['compositionstart', 'compositionend'])
  document.addEventListener(kind, () => {
    isComposing = kind === 'compositionstart';
    if (state.isDue) due();
  });

/** Keys without a modifier are in the way of whoever speaks instead of typing: they can be switched off. */
const singleKeys = document.querySelector('#single-keys');
if (singleKeys) {
  singleKeys.checked = localStorage.getItem('single-keys') !== 'off';
  singleKeys.addEventListener('change', () => localStorage.setItem('single-keys', singleKeys.checked ? 'on' : 'off'));
}

let isGoing = false;
const ways = JSON.parse(document.querySelector('#keys')?.dataset.ways ?? '{}');

document.addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (key === 'Enter' && target.form && !event.isComposing) return enter(event);
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (target.closest('input, textarea, select')) {
    if (key === 'Escape') target.blur();
    return;
  }
  if (!singleKeys?.checked) return;
  const wasGoing = isGoing;
  isGoing = key === 'g' && !wasGoing;
  if (wasGoing && ways[key]) location.assign(ways[key]);
  else if (key === '?') toKeys();
  else if (key === '/') focusOn(event, document.querySelector('[data-first]'));
  else if (key === 'j' || key === 'k') focusOn(event, neighbour(key === 'j' ? 1 : -1));
});

/** Says what stands in the chat. Words alone decide nothing: an answer takes one of its buttons. */
function enter(event) {
  const { form, dataset } = event.target;
  const isMeant = event.ctrlKey || event.metaKey ? form.dataset.act === 'say' : dataset.enter !== undefined;
  if (!isMeant || event.shiftKey) return;
  event.preventDefault();
  if (!event.repeat) form.requestSubmit();
}

function focusOn(event, element) {
  if (!element) return;
  event.preventDefault();
  element.focus();
  element.scrollIntoView({ block: 'nearest' });
}

function neighbour(by) {
  const cards = [...document.querySelectorAll('.card')];
  const here = cards.findIndex((card) => card.contains(document.activeElement));
  return cards[here === -1 && by < 0 ? cards.length - 1 : here + by];
}

function toKeys() {
  const keys = document.querySelector('#keys');
  keys.open = true;
  keys.querySelector('summary').focus();
}

// ——— start

document.querySelector('.top [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });

if (document.querySelector('[data-follow="page"]')) toEnd();
for (const box of document.querySelectorAll('[data-follow="box"]')) box.scrollTop = box.scrollHeight;
attend();
