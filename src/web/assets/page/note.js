// The line that tells what happened just now; it goes again by itself, unless it leads somewhere or is told to stay.

let forget = 0;

export function say(words, { more = null, stays = more !== null } = {}) {
  const note = document.createElement('p');
  note.textContent = words.length > 600 ? `${words.slice(0, 600)} …` : words;
  if (more) note.append(Object.assign(document.createElement('a'), { textContent: more.text, href: more.href }));
  document.querySelector('#said').replaceChildren(note);
  clearTimeout(forget);
  if (!stays) forget = setTimeout(() => note.remove(), 6_000);
}

export function hush() {
  document.querySelector('#said').replaceChildren();
}
