// What takes long is waited for in sight.
import { hush, say } from '../note.js';

const main = document.querySelector('main');
let soon = 0;
let isMoved = false;

/** The page goes to another place of itself, which is still to be fetched. */
export function moveBegins() {
  isMoved = true;
  wait();
}

/** All that was to be fetched is there. */
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
