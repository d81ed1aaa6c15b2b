// While single keys are on, each button's title names its key.

const keysOf = {
  n: '.top a.new-task',
  '/': '[data-first], .find input',
  r: '#retry > summary, .actions button[value^="retry "]',
  s: '.actions button:is([value^="stop "], [value^="continue "])',
  v: '[data-viewed]',
  z: '.attention .snooze > summary',
  h: '.attention .hand > summary',
  c: '.answer details:has(textarea) > summary',
  a: '.answer button.first, .verdict button.first',
};

function nameKeys() {
  if (localStorage.getItem('single-keys') === 'off') return;
  for (const card of document.querySelectorAll('.card'))
    for (const [at, button] of [...card.querySelectorAll('.answer button[name="press"]')].slice(0, 9).entries())
      name(button, String(at + 1));
  for (const [key, selector] of Object.entries(keysOf))
    for (const one of document.querySelectorAll(selector)) name(one, key);
}

function name(element, key) {
  element.title = `Key: ${key}`;
  element.setAttribute('aria-keyshortcuts', key);
}

document.addEventListener('swapped', nameKeys);
nameKeys();
