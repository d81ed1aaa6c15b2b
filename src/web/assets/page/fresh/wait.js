// Shows a note while a slow request is in flight.
import { hush, say } from '../note.js';

const main = document.querySelector('main');
let soon = 0;
let isMoved = false;

/** The page moves to another address of itself, which must be fetched. */
export function moveBegins() {
  isMoved = true;
  wait();
}

/** The fetch has ended. */
export function moveEnds() {
  if (isMoved) waited();
}

function wait() {
  clearTimeout(soon);
  soon = setTimeout(() => {
    main.setAttribute('aria-busy', 'true');
    say('Loading…', { stays: true });
  }, 300);
}

function waited() {
  isMoved = false;
  clearTimeout(soon);
  if (!main.hasAttribute('aria-busy')) return;
  main.removeAttribute('aria-busy');
  hush();
}

addEventListener('beforeunload', wait);
addEventListener('pageshow', waited);
