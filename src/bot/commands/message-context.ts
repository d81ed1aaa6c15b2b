// One message as the desk works on it: who, where, what it replies to, and what may be planned from it.
import { type Config, memberRole, type ProjectConfig, type Role } from '../../config/index.js';
import type { Now, Plan } from '../../dispatch/index.js';
import type { Message, NewMessage, Thread, View } from '../../store/index.js';
import { type ViewParts, view } from '../views/view.js';
import type { Aside } from './aside.js';

export { homeOwner, localSource } from '../../config/index.js';

export interface Heard {
  readonly now: Now;
  readonly config: Config;
  readonly thread: Thread;
  /** A person's name; `owner` for the one who owns the home. */
  readonly by: string;
  readonly isHomeOwner: boolean;
  /** Whether this person may name a file that Bosun opens: the owner of the home, on the local surface. */
  readonly mayNameFiles: boolean;
  readonly repliesTo: Message | null;
  /** Where relative paths start, when the message came from a shell. */
  readonly cwd: string;
  readonly aside: Aside;
}

export function roleIn(heard: Heard, project: ProjectConfig): Role | null {
  return heard.isHomeOwner ? 'owner' : memberRole(project, heard.by);
}

/** Projects that this person may at least read. */
export function projectsOf(heard: Heard): readonly ProjectConfig[] {
  return heard.config.projects.filter((project) => roleIn(heard, project) !== null);
}

/** A plan that only answers. */
export function say(heard: Heard, parts: ViewParts): Plan {
  return { events: [], messages: [answer(heard, view(parts))] };
}

/** Nothing was done: what was asked for is not there, or not possible now. */
export function sayError(heard: Heard, text: string): Plan {
  return { ...say(heard, { kind: 'error', text }), exit: 3 };
}

export function answer(heard: Heard, shown: View, more: Partial<NewMessage> = {}): NewMessage {
  return { thread: heard.thread.id, run: null, interaction: null, card: null, view: shown, at: heard.now.at, ...more };
}

/** The project's live run when it is another one than this. */
export function liveBeside(heard: Heard, project: string, run: string): string | null {
  const live = heard.now.liveRun(project);
  return live && live.id !== run ? live.id : null;
}

export function originOf(heard: Heard): NonNullable<Plan['origin']> {
  return { thread: heard.thread.id, by: heard.by };
}
