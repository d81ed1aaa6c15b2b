// Searches of the history that a person named. They stay in this browser.

const storeKey = 'saved-searches';
const maxSaved = 20;
const section = document.querySelector('#saved');

function saved() {
  try {
    const kept = JSON.parse(localStorage.getItem(storeKey) ?? '[]');
    return Array.isArray(kept) ? kept.filter(({ name, query }) => name && query) : [];
  } catch {
    return [];
  }
}

function keep(all) {
  try {
    localStorage.setItem(storeKey, JSON.stringify(all.slice(-maxSaved)));
  } catch {
    // Without storage nothing is saved, and the list stays empty.
  }
  show();
}

/** The newest runs of a search, wherever the person has paged to. */
function queryHere() {
  const query = new URLSearchParams(location.search);
  query.delete('before');
  return query.toString();
}

function show() {
  if (!section) return;
  const all = saved();
  const query = queryHere();
  const isSaved = all.some((one) => one.query === query);
  section.querySelector('ul').replaceChildren(...all.map((one) => row(one, one.query === query)));
  section.querySelector('form').hidden = query === '' || isSaved;
  section.hidden = all.length === 0 && query === '';
}

function row({ name, query }, isHere) {
  const link = Object.assign(document.createElement('a'), { textContent: name });
  link.href = `/history?${new URLSearchParams(query)}`;
  if (isHere) link.setAttribute('aria-current', 'page');
  const drop = Object.assign(document.createElement('button'), { type: 'button', className: 'icon', textContent: '×' });
  drop.setAttribute('aria-label', `Forget ${name}`);
  drop.addEventListener('click', () => keep(saved().filter((one) => one.name !== name)));
  const item = document.createElement('li');
  item.className = 'row tight';
  item.append(link, drop);
  return item;
}

section?.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const { name } = event.target.elements;
  const called = name.value.trim();
  if (called === '') return;
  keep([...saved().filter((one) => one.name !== called), { name: called, query: queryHere() }]);
  event.target.reset();
});
show();
