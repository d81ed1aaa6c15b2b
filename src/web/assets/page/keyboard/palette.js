// The palette filters the page's links and actions as a person types.

const palette = document.querySelector('#palette');
const field = palette?.querySelector('input');
const list = palette?.querySelector('ul');
const maxShown = 12;
const searched = {
  '': 'Search for',
  messages: 'Search messages for',
  commits: 'Search commits for',
  logs: 'Search logs for',
};

export function openPalette(event) {
  if (!palette || palette.open) return;
  event.preventDefault();
  field.value = '';
  show('');
  palette.showModal();
}

function show(words) {
  const links = new Map(
    [...document.querySelectorAll('.ways a[href], .top a.new-task')].map((link) => [link.getAttribute('href'), link]),
  );
  const found = [...links].map(([href, link]) => ({ href, name: nameOf(link) }));
  const near = found.filter(({ name }) => name.toLowerCase().includes(words.trim().toLowerCase()));
  const search = Object.entries(searched).map(([kind, name]) => ({
    href: `/history?q=${encodeURIComponent(words.trim())}${kind === '' ? '' : `&in=${kind}`}`,
    name: `${name} \u201c${words.trim()}\u201d`,
  }));
  const actions = actionsHere().filter(({ name }) => name.toLowerCase().includes(words.trim().toLowerCase()));
  const shown = [...near.map(entry), ...actions.map(action)].slice(0, maxShown);
  list.replaceChildren(...shown, ...(words.trim() === '' ? [] : search.map(entry)));
}

/** The buttons of the page's cards and run, each with its subject. */
function actionsHere() {
  return [
    ...document.querySelectorAll('.actions :is(button, summary), .card .answer :is(button[name="press"], summary)'),
  ]
    .filter((one) => one.checkVisibility())
    .map((target) => {
      const about = target.closest('.card')?.querySelector('h3')?.textContent.trim();
      return { target, name: [target.textContent.trim(), about].filter(Boolean).join(': ') };
    });
}

/** Focuses the button instead of pressing it, so that a mistyped word decides nothing. */
function action({ target, name }) {
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'plain',
    textContent: name,
  });
  button.addEventListener('click', () => {
    palette.close();
    target.focus();
    target.scrollIntoView({ block: 'nearest' });
  });
  const item = document.createElement('li');
  item.append(button);
  return item;
}

function nameOf(link) {
  return (link.firstChild?.nodeType === Node.TEXT_NODE ? link.firstChild : link).textContent.trim();
}

function entry({ href, name }) {
  const link = Object.assign(document.createElement('a'), { href, textContent: name });
  link.addEventListener('click', () => palette.close());
  const item = document.createElement('li');
  item.append(link);
  return item;
}

field?.addEventListener('input', () => show(field.value));
palette?.addEventListener('keydown', (event) => {
  const links = [...list.querySelectorAll('a, button')];
  if (event.key === 'Enter' && event.target === field) links[0]?.click();
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  const at = links.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
  (links[at] ?? field).focus();
});
