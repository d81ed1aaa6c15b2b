// Keeps for this browser whether the lines of logs wrap. Without storage the switch still works on its page.

const name = 'log-wrap';
const box = () => document.querySelector('#log-wrap');

document.addEventListener('change', ({ target }) => {
  if (target !== box()) return;
  try {
    localStorage.setItem(name, target.checked ? 'on' : 'off');
  } catch {
    // The choice lasts as long as the page.
  }
});

function apply() {
  try {
    if (box()) box().checked = localStorage.getItem(name) !== 'off';
  } catch {
    // Lines wrap.
  }
}

apply();
