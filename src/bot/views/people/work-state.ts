// The one name of a run's state, as its reader sees it.
import { nameInConfig, type ProjectConfig, type Role } from '../../../config/index.js';
import { type AskedPerson, type Health, type NamedState, workNamed } from '../../../dispatch/index.js';
import type { Interaction, Run } from '../../../engine/index.js';
import { oneLine, personName } from '../view.js';
import { attentionOf, awaitedPeople } from './awaited.js';

/** The owner of the home decides everything. */
export interface StateReader {
  readonly by: string;
  readonly role: Role | null;
  readonly members: ProjectConfig['members'];
}

interface WorkShown {
  /** The open ones, the oldest first. */
  readonly interactions: readonly Interaction[];
  readonly health: Health;
  /** The task ahead of a queued one; null: none. */
  readonly behind: Pick<Run, 'task'> | null;
}

export function stateFor(
  run: Run | null,
  { interactions, health, behind }: WorkShown,
  reader: StateReader,
): NamedState {
  const open = interactions.find(({ state }) => state === 'open');
  const asked = run === null || open === undefined ? null : askedFor(open, run, reader);
  return workNamed({ run, asked, health, behind: behind && oneLine(behind.task.split('\n', 1)[0] ?? '', 40) });
}

function askedFor(open: Interaction, run: Run, { by, role, members }: StateReader): AskedPerson {
  const all = Object.entries(members).map(([name, theirs]: [string, Role]) => ({ name, role: theirs }));
  const [first = 'the owner', ...rest] = awaitedPeople(open, run, { members: all }).map((name) =>
    personName(nameInConfig(name)),
  );
  const who = rest.length === 0 ? first : `${first} +${rest.length}`;
  const isMine = attentionOf(open, run, { by, role, members: all }) !== 'elsewhere';
  return { kind: open.kind, isMine, who };
}

/** `waiting for you`, `paused (budget spent)`. */
export function stateInWords({ word, note }: NamedState): string {
  return note === undefined ? word : `${word} (${note})`;
}

/** The reader at the command line. */
export const homeOwnerReads: StateReader = { by: 'owner', role: 'owner', members: {} };
