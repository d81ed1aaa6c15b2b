// Counts what a search finds among the other kinds: each kind's own page, one after the other, knows its count.

const current = (of) => of.querySelector('.kinds [aria-current] .num')?.textContent ?? '';

async function countOthers() {
  for (const told of document.querySelectorAll('.kinds [data-count]')) {
    try {
      const reply = await fetch(told.closest('a').href, { headers: { accept: 'text/html' } });
      if (!reply.ok) return;
      told.textContent = current(new DOMParser().parseFromString(await reply.text(), 'text/html'));
    } catch {
      // The links work without counts.
      return;
    }
  }
}

void countOthers();
