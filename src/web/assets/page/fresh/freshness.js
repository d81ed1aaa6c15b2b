// Keeps the page fresh: an event tells that something has changed, and the page fetches itself anew.
import { say } from '../note.js';
import { settle } from '../sending/unsure.js';
import { isAnyLive, swapRegions } from './regions.js';
import { moveEnds } from './wait.js';

const { version = '', gap: minGapMs = 700, still } = document.documentElement.dataset;
const state = {
  version,
  isDue: false,
  isBusy: false,
  lastAt: Date.now(),
  failed: 0,
  isOut: false,
  isComposing: false,
  isWaited: false,
  timer: 0,
};
const link = document.querySelector('#link');
/** A page without live parts never changes, so it asks for nothing. */
const isStill = still !== undefined || !isAnyLive;
if (isStill) link?.remove();

let source = null;

/** A browser has few connections per host, so a hidden page holds none and catches up once it is visible. */
export function attend() {
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

for (const kind of ['compositionstart', 'compositionend'])
  document.addEventListener(kind, () => {
    state.isComposing = kind === 'compositionstart';
    if (state.isDue) due();
  });

/** Live only if the event stream is open and the last fetch succeeded. */
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

const cutOff = document.querySelector('#cut-off');
/** A shorter break is over before a person has read about it. */
const toldAfterMs = 3_000;
let lostSince = 0;

/** Tells since when the page is stale; typed words stay, and buttons work once Bosun answers. */
function tellCutOff() {
  const isLost = !state.isOut && link?.dataset.state === 'lost' && !document.hidden;
  lostSince = isLost ? lostSince || Date.now() : 0;
  if (!cutOff) return;
  cutOff.hidden = !isLost || Date.now() - lostSince < toldAfterMs;
  if (cutOff.hidden || cutOff.dataset.since === String(lostSince)) return;
  cutOff.dataset.since = String(lostSince);
  const clock = new Date(lostSince).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  cutOff.querySelector('span').textContent =
    `Not live since ${clock}: Bosun does not answer. This page tries again by itself; what you type is kept.`;
}
if (!isStill) setInterval(tellCutOff, 1_000);

/** Call it whenever the page may have changed. `atOnce`: a person waits for it. */
export function due({ atOnce = false } = {}) {
  state.isDue = true;
  state.isWaited ||= atOnce;
  // Only a waiting fetch is moved forward; one in flight is followed by another.
  if (atOnce && state.timer !== 0) {
    clearTimeout(state.timer);
    state.isBusy = false;
  }
  if (isStill || state.isOut || state.isComposing || document.hidden || state.isBusy) return;
  state.isBusy = true;
  const backoffMs = state.failed === 0 ? 0 : Math.min(10_000, 500 * 2 ** state.failed);
  const gapMs = state.isWaited ? 0 : Math.max(Number(minGapMs), backoffMs);
  state.timer = setTimeout(refresh, Math.max(0, state.lastAt + gapMs - Date.now()));
}

async function refresh() {
  state.isDue = false;
  state.isWaited = false;
  state.timer = 0;
  try {
    const reply = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (reply.status === 401) return sayLoggedOut();
    if (!reply.ok) throw new Error(`the page could not be made: ${reply.status}`);
    const text = await reply.text();
    // A swap would lose a word in composition (IME), so it waits.
    if (state.isComposing) return due();
    const fresh = new DOMParser().parseFromString(text, 'text/html');
    swapRegions(fresh);
    document.title = fresh.title;
    markIcon(fresh);
    settle();
    state.failed = 0;
  } catch {
    state.failed += 1;
    state.isDue = true;
  } finally {
    tell();
    state.lastAt = Date.now();
    state.isBusy = false;
    if (state.isDue) due();
    else moveEnds();
  }
}

/** The icon shows a dot while something waits for the viewer. */
function markIcon(fresh) {
  const [now, next] = [document, fresh].map((of) => of.querySelector('link[rel="icon"]'));
  if (now && next && now.getAttribute('href') !== next.getAttribute('href')) now.replaceWith(document.adoptNode(next));
}

/** From now on this page asks for nothing. */
export function endSession() {
  state.isOut = true;
  leave();
  tell();
}

export function sayLoggedOut() {
  endSession();
  say('You are logged out here. ', { more: { text: 'Log in', href: '/login' } });
}
