// Marks beside the scroll bar of a searched log: where its hits are, and which one is the present one.

const maxMarks = 300;
const log = () => document.querySelector('#log-lines');
const hits = () => [...(log()?.querySelectorAll('.l:not(.looks):has(> bdi mark, > details > summary mark)') ?? [])];
/** A folded hit stands at the line that folds it. */
const shownOf = (line) => (line.checkVisibility() ? line : (line.closest('details')?.querySelector('summary') ?? line));

function draw() {
  const box = log();
  box?.parentElement.querySelector('.hit-marks')?.remove();
  const all = hits();
  if (!box || all.length === 0) return;
  const strip = document.createElement('div');
  strip.className = 'hit-marks';
  strip.setAttribute('aria-hidden', 'true');
  strip.style.insetInlineEnd = `${box.offsetWidth - box.clientWidth}px`;
  const top = box.getBoundingClientRect().top - box.scrollTop;
  for (const line of all.slice(0, maxMarks)) {
    const mark = document.createElement('i');
    const at = shownOf(line).getBoundingClientRect().top - top;
    mark.style.insetBlockStart = `${(100 * at) / box.scrollHeight}%`;
    mark.classList.toggle('now', line === document.activeElement);
    strip.append(mark);
  }
  box.after(strip);
  place(all);
}

function place(all) {
  const told = document.querySelector('[data-hit-place]');
  const at = all.indexOf(document.activeElement);
  if (told) told.textContent = at === -1 ? '' : ` · ${at + 1} of ${all.length}`;
}

/** A search shows its first hit. */
function showFirst() {
  const [first] = hits();
  if (!first || /^#L\d/.test(location.hash)) return;
  const box = log();
  box.scrollTop += first.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
}

document.addEventListener('toggle', ({ target }) => log()?.contains(target) && draw(), true);
document.addEventListener('focusin', ({ target }) => log()?.contains(target) && draw());
document.addEventListener('change', ({ target }) => target.id === 'log-wrap' && draw());
document.addEventListener('swapped', draw);
addEventListener('resize', draw);
showFirst();
draw();
