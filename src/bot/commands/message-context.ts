// One message as the desk works on it: who, where, what it replies to, and what may be planned from it.

import { type Config, memberRole, type ProjectConfig, type Role } from '../../config/index.js';
import { type Plan, type PlanContext, threadBeside } from '../../dispatch/index.js';
import { type Message, type NewMessage, placedThread, type Thread, type View } from '../../store/index.js';
import { type ViewParts, view } from '../views/view.js';

export interface MessageContext {
  readonly now: PlanContext;
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

export function roleIn(heard: MessageContext, project: ProjectConfig): Role | null {
  return heard.isHomeOwner ? 'owner' : memberRole(project, heard.by);
}

/** Projects that this person may at least read. */
export function projectsOf(heard: MessageContext): readonly ProjectConfig[] {
  return heard.config.projects.filter((project) => roleIn(heard, project) !== null);
}

/** A plan that only answers. */
export function say(heard: MessageContext, parts: ViewParts): Plan {
  return { events: [], messages: [answer(heard, view(parts))] };
}

/** Nothing was done: what was asked for is not there, or not possible now. */
export function sayError(heard: MessageContext, text: string): Plan {
  return { ...say(heard, { kind: 'error', text }), exit: 3 };
}

export function answer(heard: MessageContext, shown: View, more: Partial<NewMessage> = {}): NewMessage {
  return { thread: heard.thread.id, run: null, interaction: null, card: null, view: shown, at: heard.now.at, ...more };
}

/** The project's live run when it is another one than this. */
export function liveBeside(heard: MessageContext, project: string, run: string): string | null {
  const live = heard.now.liveRun(project);
  return live && live.id !== run ? live.id : null;
}

export function originOf(heard: MessageContext): NonNullable<Plan['origin']> {
  return { thread: heard.thread.id, by: heard.by };
}

// Whoever drives a run hears of it from then on, in the place where he spoke. A channel of Slack hears of a run in one
// thread only: elsewhere in it people are told where that is.
export interface Followed {
  readonly id: string;
  readonly project: string;
}

export function follow(
  heard: MessageContext,
  { id: run, project }: Followed,
): Pick<Plan, 'follows' | 'messages' | 'threads'> {
  const { thread, now } = heard;
  if (thread.channel !== 'slack') return { follows: [{ run, thread: thread.id }] };
  const followers = now.followers(run);
  const beside = followers.includes(thread.id) ? null : threadBeside(thread.id, followers);
  // What is said here is meant for it, as long as nobody chose another project.
  const threads = thread.project === null ? [{ ...thread, project }] : [];
  if (beside === null) return { follows: [{ run, thread: thread.id }], threads };
  // In a chat of two nobody has to look for it.
  if (/^[DU]/.test(thread.address['chat'] ?? '')) return { threads };
  const shown = view({ kind: 'answer', text: `What becomes of ${run} is told in the thread where it is at home.` });
  return { messages: [answer(heard, shown, { card: `elsewhere:${run}` })], threads };
}

/** The place that a thread's id names, where nothing was ever written down about it; the terminal's or the page's, if none. */
export function threadAt(id: string): Thread {
  const channel = /^web(-|$)/.test(id) ? 'web' : 'local';
  return placedThread(id, null) ?? { id, channel, address: {}, project: null, quiet: false };
}

// What was done for a message before it is planned, because it takes time or touches the world outside the database.
export type Aside =
  | { readonly kind: 'nothing' }
  /** The folder of this new project is made, and config.yaml has it. */
  | { readonly kind: 'made'; readonly project: string }
  | { readonly kind: 'not_made'; readonly why: string }
  /** What the configured program chose of Bosun's own proposals, by what their buttons say. */
  | { readonly kind: 'chosen'; readonly says: readonly string[] };

export const nothingAside: Aside = { kind: 'nothing' };
