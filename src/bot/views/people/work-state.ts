// A run's state, as its reader sees it (decision 0067).
import { nameInConfig, type ProjectConfig, type Role } from '../../../config/index.js';
import { type AskedPerson, type Health, type NamedState, workNamed } from '../../../dispatch/index.js';
import type { Interaction, Run } from '../../../engine/index.js';
import type { Spine } from '../../../store/index.js';
import { oneLine, personName } from '../view.js';
import { attentionOf, awaitedPeople } from './awaited.js';

/** The owner decides everything. */
export interface StateReader {
  readonly by: string;
  readonly role: Role | null;
  readonly members: ProjectConfig['members'];
}

interface WorkShown {
  readonly interactions: readonly Interaction[];
  readonly health: Health;
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

export function stateInWords({ word, note }: NamedState): string {
  return note === undefined ? word : `${word} (${note})`;
}

export const homeOwnerReads: StateReader = { by: 'owner', role: 'owner', members: {} };

/** For the command line; null: the project has no run. */
export function ownersState(spine: Pick<Spine, 'run' | 'interactions'> | null, health: Health = 'running'): string {
  const { run = null, interactions = [] } = spine ?? {};
  return stateInWords(stateFor(run, { interactions, health, behind: null }, homeOwnerReads));
}
