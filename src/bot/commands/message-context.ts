import { type Config, memberRole, type ProjectConfig, type Role } from '../../config/index.js';
import {
  asideThread,
  emptyPlan,
  isSharedThread,
  type Origin,
  type Plan,
  type PlanContext,
  type PlanEffect,
  threadBeside,
} from '../../dispatch/index.js';
import type { Run, WorkRange } from '../../engine/index.js';
import type { Message, NewMessage, Thread, ThreadReader, View } from '../../store/index.js';
import type { Grammar, Parsed } from '../grammar/index.js';
import { view } from '../views/view.js';
import { titleOf } from '../views/work/card-text.js';

export interface MessageContext {
  readonly now: PlanContext;
  readonly config: Config;
  readonly thread: Thread;
  readonly by: string;
  readonly isHomeOwner: boolean;
  /** Only the home's owner may name a file to open, and only on the local surface. */
  readonly mayNameFiles: boolean;
  readonly repliesTo: Message | null;
  /** From the answered message or thread, or by name; counts only for a run beside the project's first. */
  readonly run: string | null;
  readonly cwd: string;
  readonly aside: Aside;
  readonly verbs: VerbRegistry;
  /** Null after a restart, and for other than text. */
  readonly parsed: ParsedText | null;
}

export interface ParsedText {
  readonly parsed: Parsed;
  /** As read; config.yaml may have changed since. */
  readonly projects: readonly ProjectConfig[];
  /** The message that offered something for the words before this edit. */
  readonly corrects?: string;
}

export interface VerbRegistry {
  readonly grammar: Grammar;
  readonly handlers: Readonly<Record<string, VerbHandler>>;
}

export type VerbHandler =
  | { readonly of: 'chat'; readonly plan: (ctx: MessageContext, parsed: Parsed) => Plan }
  | {
      readonly of: 'project';
      readonly plan: (ctx: MessageContext, project: ProjectConfig, parsed: Parsed) => Plan;
      /** Null: `stop all` does not apply. */
      readonly all: AllProjects | null;
      /** For several possible projects; default: asks which. */
      readonly several?: (ctx: MessageContext) => Plan | null;
    };

export interface AllProjects {
  readonly isMeant: (ctx: MessageContext, project: string) => boolean;
  readonly text: string;
}

export function roleIn(ctx: MessageContext, project: ProjectConfig): Role | null {
  return ctx.isHomeOwner ? 'owner' : memberRole(project, ctx.by);
}

export function projectsOf(ctx: MessageContext): readonly ProjectConfig[] {
  return ctx.config.projects.filter((project) => roleIn(ctx, project) !== null);
}

export function say(ctx: MessageContext, shown: View): Plan {
  return { ...emptyPlan, messages: [answer(ctx, shown)] };
}

export function sayError(ctx: MessageContext, text: string): Plan {
  return { ...say(ctx, view('error', text)), exit: 3 };
}

/** For a late or refused person: no one else needs to read it. */
export function refuse(ctx: MessageContext, text: string): Plan {
  const plan = sayError(ctx, text);
  const thread = asideThread(ctx.config, ctx.by, ctx.thread.id) ?? ctx.thread.id;
  return { ...plan, messages: plan.messages.map((one) => ({ ...one, thread })) };
}

/** Only the speaker sees it, if the channel can. In another group a toast answered the press. */
export function toSpeaker(ctx: MessageContext, shown: View, isPress = false): Plan {
  const { config, by, thread } = ctx;
  const aside = asideThread(config, by, thread.id);
  if (aside !== null) return { ...emptyPlan, messages: [answer(ctx, shown, { thread: aside })] };
  return isPress && isSharedThread(config, thread.id) ? emptyPlan : say(ctx, shown);
}

export function answer(ctx: MessageContext, shown: View, more: Partial<NewMessage> = {}): NewMessage {
  return { thread: ctx.thread.id, run: null, interaction: null, card: null, view: shown, at: ctx.now.at, ...more };
}

/** Null: none, or a settled card under which a step runs. */
export function answeredByReply({ now, thread, repliesTo }: MessageContext): string | null {
  if (repliesTo === null || repliesTo.interaction === null) return null;
  const shown = now.cardIn(thread.id, repliesTo.card ?? repliesTo.edits ?? repliesTo.id);
  return shown?.view.settled === undefined ? repliesTo.interaction : null;
}

/** The run in the project's checkout, if it is another one. */
export function liveBeside(ctx: MessageContext, project: string, run: string): string | null {
  const live = ctx.now.holder(project);
  return live && live.id !== run ? live.id : null;
}

/** Null: the message means the project's first run. */
export function besideMeant({ now, run }: MessageContext, { name }: Pick<ProjectConfig, 'name'>): Run | null {
  return now.besideRuns(name).find(({ id }) => id === run) ?? null;
}

export function originOf(ctx: MessageContext): Origin {
  return { thread: ctx.thread.id, by: ctx.by };
}

// People follow a run where they spoke. A chat with threads (Slack) follows it in one, with pointers elsewhere.
export interface Followed {
  readonly id: string;
  readonly project: string;
}

export function follow(ctx: MessageContext, { id: run, project }: Followed): Pick<Plan, 'messages' | 'effects'> {
  const { thread, now } = ctx;
  const kinds = ctx.config.channelKinds;
  const kind = kinds.find(({ name }) => name === thread.channel) ?? null;
  const follows: PlanEffect = { type: 'follow', run, thread: thread.id };
  if (kind === null || kind.runThread === null) return { messages: [], effects: [follows] };
  const followers = now.followers(run);
  const beside = followers.includes(thread.id) ? null : threadBeside(kinds, thread.id, followers);
  // The chat means this project until a person chooses another.
  const chooses: readonly PlanEffect[] =
    thread.project === null ? [{ type: 'thread', thread: { ...thread, project } }] : [];
  if (beside === null) return { messages: [], effects: [...chooses, follows] };
  if (kind.isPrivateChat(thread.address['chat'] ?? '')) return { messages: [], effects: chooses };
  const title = titleOf(now.spine(run)?.run.task.split('\n', 1)[0] ?? run);
  const shown = view('answer', `Updates on “${title}” are in its own thread.`);
  return { messages: [answer(ctx, shown, { card: `elsewhere:${run}` })], effects: chooses };
}

export function threadAt(reader: Pick<ThreadReader, 'placed'>, id: string): Thread {
  const channel = /^web(-|$)/.test(id) ? 'web' : 'local';
  return reader.placed(id) ?? { id, channel, address: {}, project: null, quiet: false };
}

export function newThread(reader: Pick<ThreadReader, 'placed' | 'thread'>, id: string): readonly PlanEffect[] {
  return reader.thread(id) === null ? [{ type: 'thread', thread: threadAt(reader, id) }] : [];
}

/** `about`: the card's message, to reply to. */
export type EvidenceTarget = { readonly run: string; readonly about: string | null } & (
  | {
      readonly kind: 'diff';
      /** '': the whole run. */
      readonly chain: string;
      /** Null: the work so far. */
      readonly range: WorkRange | null;
      readonly card: string | null;
      readonly isSince: boolean;
    }
  | { readonly kind: 'attempt_diff' | 'log'; readonly attempt: string }
);

export type Aside =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'made'; readonly project: string }
  | { readonly kind: 'not_made'; readonly why: string }
  | { readonly kind: 'chosen'; readonly says: readonly string[] }
  /** The first pass only names the target. */
  | { readonly kind: 'looking'; readonly found: (target: EvidenceTarget) => void }
  | { readonly kind: 'evidence'; readonly of: string; readonly shown: View };

export const nothingAside: Aside = { kind: 'nothing' };
