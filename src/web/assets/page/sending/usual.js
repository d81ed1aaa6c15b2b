// The sheet for a new task shows the estimate of the chosen project.
document.addEventListener('change', ({ target }) => {
  if (target.id !== 'new-project') return;
  for (const one of document.querySelectorAll('[data-usual-of]')) one.hidden = one.dataset.usualOf !== target.value;
});
