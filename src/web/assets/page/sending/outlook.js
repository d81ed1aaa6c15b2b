// The sheet for a new task asks for the chosen project's queue and estimate once it is open.

const field = () => document.querySelector('#new-project');
let asked = 0;

async function showOutlook() {
  const told = document.querySelector('#new-outlook');
  if (location.hash !== '#new' || !told) return;
  asked += 1;
  const own = asked;
  const outlook = await outlookOf(field().value);
  // Another project was chosen meanwhile.
  if (own !== asked) return;
  told.textContent = outlook?.text ?? '';
  document.querySelector('#new [name="place"]').hidden = !(outlook?.place > 1);
}

/** Null: the sheet works without it. */
async function outlookOf(project) {
  try {
    const reply = await fetch(`/api/projects/${encodeURIComponent(project)}/outlook`, {
      headers: { accept: 'application/json' },
    });
    return reply.ok ? await reply.json() : null;
  } catch {
    return null;
  }
}

document.addEventListener('change', ({ target }) => {
  if (target === field()) void showOutlook();
});
addEventListener('hashchange', showOutlook);
void showOutlook();
