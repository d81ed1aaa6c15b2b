// What a phone shows for a moment when a button is pressed. Read at once and from what is on disk: the answer of the
// press goes out before anything is decided, and so it promises nothing.
import { type Config, mayDo, type Store } from '../../../dispatch/index.js';

/** What data of a button may look like; anything else was never Bosun's. */
const pressPattern = /^[\w.:-]{1,64}$/;
const maxToastChars = 190;

export function isPress(data: string | undefined): data is string {
  return data !== undefined && pressPattern.test(data);
}

export function toastOf(store: Store, config: Config, by: string, press: string): string {
  const [id = '', ...rest] = press.split('.');
  const option = rest.join('.');
  const shown = id.startsWith('i') ? ofInteraction(store, config, { by, id, option }) : ofOffer(store, id, option);
  return shown.slice(0, maxToastChars);
}

interface Pressed {
  readonly by: string;
  readonly id: string;
  readonly option: string;
}

function ofInteraction(store: Store, config: Config, { by, id, option }: Pressed): string {
  const found = store.interaction(id);
  const name = found && store.run(found.run)?.project;
  const project = config.projects.find((one) => one.name === name);
  const role = project?.members[by] ?? null;
  // Of a project that one may not read, not even this is told.
  if (!found || role === null) return 'There is nothing to answer.';
  if (!mayDo(role, 'answer')) return `Not allowed: you are ${role} in ${project?.name}.`;
  if (found.interaction.state !== 'open') return 'Too late: that is decided already.';
  return `${found.interaction.options.find((one) => one.id === option)?.label ?? option}…`;
}

function ofOffer(store: Store, id: string, option: string): string {
  const view = store.message(id)?.view;
  const label = view?.buttons.find(({ press }) => press === `.${option}` || press === `${id}.${option}`)?.label;
  return label === undefined ? 'That button is no longer known.' : `${label}…`;
}
