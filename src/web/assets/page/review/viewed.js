// Marks viewed files, by a hash of their changes.
const viewedKey = 'viewed';
const maxViewed = 1_000;

function viewed() {
  try {
    return new Set(JSON.parse(localStorage.getItem(viewedKey) ?? '[]'));
  } catch {
    return new Set();
  }
}

document.addEventListener('change', ({ target }) => {
  const { viewed: hash } = target.dataset;
  if (hash === undefined) return;
  const all = viewed();
  if (target.checked) all.add(hash);
  else all.delete(hash);
  try {
    localStorage.setItem(viewedKey, JSON.stringify([...all].slice(-maxViewed)));
  } catch {
    // Without storage the mark lasts as long as the page.
  }
  target.closest('.file').querySelector('details').open = !target.checked;
  markViewed();
});

export function markViewed() {
  const all = viewed();
  const boxes = [...document.querySelectorAll('input[data-viewed]')];
  for (const box of boxes) {
    const file = box.closest('.file');
    const isViewed = all.has(box.dataset.viewed);
    if (isViewed && !box.checked) file.querySelector('details').open = false;
    box.checked = isViewed;
    document.querySelector(`.tree a[data-file="${file.id}"]`)?.toggleAttribute('data-seen', isViewed);
  }
  const told = document.querySelector('[data-viewed-count]');
  if (told) told.textContent = `${boxes.filter((box) => box.checked).length} viewed`;
}
