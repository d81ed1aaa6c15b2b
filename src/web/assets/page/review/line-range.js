// A link to lines of a changed file unfolds them, scrolls to them and marks them. Shift and a click on another number
// extends the range; a small bar copies the link.
import { say } from '../note.js';

/** A line number is too small for a finger: there the whole line is the target. */
const isTouched = matchMedia('(pointer: coarse)');
export const lineAt = (target) =>
  target.closest?.('.ln > a.n') ?? (isTouched.matches ? target.closest?.('.ln')?.querySelector('a.n') : null);

/** `#lines=src%2Fcart.ts:o3-5`: file, side (`o` for the lines before) and numbers. */
function rangeIn(hash) {
  const [, path, side, from, to = from] = /^#lines=([^:]{1,3000}):(o?)(\d{1,8})(?:-(\d{1,8}))?$/.exec(hash) ?? [];
  if (path === undefined) return null;
  try {
    return { path: decodeURIComponent(path), side: side || 'n', from: Number(from), to: Number(to) };
  } catch {
    return null;
  }
}

const hashOf = ({ path, side, from, to }) =>
  `#lines=${encodeURIComponent(path)}:${side === 'o' ? 'o' : ''}${from}${to === from ? '' : `-${to}`}`;
const wordsOf = ({ from, to }) => (from === to ? `line ${from}` : `lines ${from} to ${to}`);

function rangeOf(line) {
  const file = line.closest('.file');
  const [, side = '', n = ''] = /^f\d+-([no])(\d+)$/.exec(line.id) ?? [];
  return file && side !== '' ? { path: file.dataset.path, side, from: Number(n), to: Number(n) } : null;
}

function linesOf({ path, side, from, to }) {
  const file = document.querySelector(`.file[data-path="${CSS.escape(path)}"]`);
  const isIn = (line) => {
    const own = rangeOf(line);
    return own !== null && own.side === side && own.from >= from && own.from <= to;
  };
  return { file, lines: [...(file?.querySelectorAll('.ln > a.n') ?? [])].filter(isIn) };
}

/** Repeated after each swap, because the server renders the lines anew. */
function mark() {
  for (const one of document.querySelectorAll('.ln.here')) one.classList.remove('here');
  for (const bar of document.querySelectorAll('.line-bar')) bar.remove();
  const range = rangeIn(location.hash);
  if (range === null) return null;
  const { file, lines } = linesOf(range);
  for (const line of lines) line.parentElement.classList.add('here');
  lines.at(-1)?.parentElement.after(bar(range));
  return { range, file, lines };
}

function bar(range) {
  const copy = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'line',
    textContent: `Copy link to ${wordsOf(range)}`,
  });
  copy.addEventListener('click', () => copyLink(range));
  const clear = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'line',
    textContent: 'Clear',
  });
  clear.addEventListener('click', () => to(''));
  const made = document.createElement('div');
  made.className = 'line-bar buttons';
  made.append(copy, clear);
  return made;
}

/** The address names the range, so that a reload keeps it. */
function to(hash) {
  history.replaceState(history.state, '', hash === '' ? location.pathname + location.search : hash);
  mark();
}

export async function copyLink(range) {
  to(hashOf(range));
  try {
    await navigator.clipboard.writeText(location.href);
    say(`Link to ${wordsOf(range)} copied.`);
  } catch {
    say(`The address of this page now links to ${wordsOf(range)}.`);
  }
}

/** Copies the link of one line; false: it is no line of a changed file. */
export function copyLineLink(line) {
  const range = line && rangeOf(line);
  if (range) void copyLink(range);
  return Boolean(range);
}

/** Shows the lines that the address names; folded ones need the whole file once. */
export function showRange() {
  const shown = mark();
  if (shown === null || shown.file === null) return;
  const { range, file, lines } = shown;
  if (lines.length > 0) {
    file.querySelector('details').open = true;
    lines[0].scrollIntoView({ block: 'center' });
    return;
  }
  const address = new URL(location.href);
  if (address.searchParams.getAll('open').includes(range.path)) return;
  address.searchParams.append('open', range.path);
  location.replace(address);
}

/** A shifted click would select text. */
document.addEventListener('mousedown', (event) => {
  if (event.shiftKey && event.target.closest?.('.ln > a.n')) event.preventDefault();
});

document.addEventListener('click', (event) => {
  const line = lineAt(event.target);
  const own = line && rangeOf(line);
  // A plain click comments on the line while a review is open.
  if (!own || (!event.shiftKey && document.querySelector('form[data-drafts]'))) return;
  event.preventDefault();
  const before = event.shiftKey ? rangeIn(location.hash) : null;
  const isSame = before !== null && before.path === own.path && before.side === own.side;
  const from = isSame ? Math.min(before.from, own.from) : own.from;
  to(hashOf({ ...own, from, to: isSame ? Math.max(before.to, own.to) : own.to }));
});

addEventListener('hashchange', showRange);
document.addEventListener('swapped', mark);
