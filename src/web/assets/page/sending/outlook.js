// The sheet for a new task asks for the chosen project's workflows, queue and estimate once it is open.

const project = () => document.querySelector('#new-project');
const workflow = () => document.querySelector('#new-workflow');
let asked = 0;
/** The project whose workflows are listed. */
let listed = '';

async function show() {
  const told = document.querySelector('#new-outlook');
  if (location.hash !== '#new' || !told) return;
  asked += 1;
  const own = asked;
  const name = project().value;
  const isNew = name !== listed;
  if (isNew) workflow().replaceChildren(new Option("The project's own", ''));
  const wanted = new URLSearchParams(workflow().value === '' ? {} : { workflow: workflow().value });
  const [outlook, choices] = await Promise.all([
    answerOf(`/api/projects/${encodeURIComponent(name)}/outlook?${wanted}`),
    isNew ? answerOf(`/api/workflows?${new URLSearchParams({ project: name })}`) : null,
  ]);
  // Another project or workflow was chosen meanwhile.
  if (own !== asked) return;
  told.textContent = outlook?.text ?? '';
  document.querySelector('#new [name="place"]').hidden = !(outlook?.place > 1);
  if (outlook && choices) {
    listed = name;
    workflow().replaceChildren(...optionsOf(outlook.workflow, choices.items));
  }
}

/** The project's own one is first and has no name here: it may change until the task is sent. */
function optionsOf(own, workflows) {
  const label = (id) => [id, workflows.find((one) => one.id === id)?.steps.join(', ')].filter(Boolean).join(': ');
  const others = workflows.filter(({ id, steps }) => id !== own && steps.length > 0);
  return [new Option(label(own), ''), ...others.map(({ id }) => new Option(label(id), id))];
}

/** Null: the sheet works without it. */
async function answerOf(path) {
  try {
    const reply = await fetch(path, { headers: { accept: 'application/json' } });
    return reply.ok ? await reply.json() : null;
  } catch {
    return null;
  }
}

document.addEventListener('change', ({ target }) => {
  if (target === project() || target === workflow()) void show();
});
addEventListener('hashchange', show);
void show();
