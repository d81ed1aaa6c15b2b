// A link to a log line unfolds it, scrolls to it and marks it, even if the page shows another part of the log.

const lineOf = () => /^#L(\d{1,8})$/.exec(location.hash)?.[1] ?? null;

export function showLine() {
  const n = lineOf();
  const log = document.querySelector('#log-lines');
  if (n === null || !log) return;
  const line = document.getElementById(`L${n}`);
  if (line) {
    line.closest('details')?.setAttribute('open', '');
    mark();
    line.scrollIntoView({ block: 'center' });
    return;
  }
  const address = new URL(location.href);
  if (address.searchParams.get('line') === n) return;
  address.search = `?line=${n}`;
  location.replace(address);
}

/** A line that a swap replaced is no longer the browser's target. */
function mark() {
  for (const one of document.querySelectorAll('.log .here')) one.classList.remove('here');
  document.getElementById(`L${lineOf()}`)?.classList.add('here');
}

addEventListener('hashchange', showLine);
document.addEventListener('swapped', mark);
