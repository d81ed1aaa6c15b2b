// Never guesses: among several the person chooses.
import {
  type Action,
  type ChatConfig,
  type Config,
  mayDo,
  type ProjectConfig,
  projectNamed,
} from '../../config/index.js';
import type { Plan } from '../../dispatch/index.js';
import { placeOf } from '../../store/index.js';
import type { Parsed } from '../grammar/index.js';
import { view } from '../views/view.js';
import { type MessageContext, projectsOf, refuse, roleIn, say, sayError } from './message-context.js';
import { notAllowedText } from './not-allowed.js';

export type Meant =
  | { readonly project: ProjectConfig }
  /** `isChoice`: the plan asks for the project. */
  | { readonly plan: Plan; readonly isChoice?: true };

export function meantProject(
  ctx: MessageContext,
  parsed: Parsed,
  says: (project: string) => string = (project) => sentenceFor(parsed, project),
): Meant {
  const named =
    parsed.project ??
    projectOfReply(ctx) ??
    projectOfRun(ctx, parsed.target) ??
    ctx.thread.project ??
    projectOfThread(ctx) ??
    projectHere(ctx);
  if (named !== null) {
    const project = projectNamed(ctx.config, named);
    // Security: without read access a project does not exist.
    if (project && roleIn(ctx, project) !== null) return { project };
    return { plan: sayError(ctx, `No project "${named}". ${knownNames(ctx)}`) };
  }
  const [only, ...others] = projectsOf(ctx);
  if (!only)
    return { plan: sayError(ctx, 'There is no project yet. On the computer that runs Bosun: bosun init <folder>.') };
  if (others.length === 0) return { project: only };
  const all = projectsOf(ctx).map(({ name }) => name);
  return { plan: askWhich(ctx, all, says), isChoice: true };
}

export function askWhich(ctx: MessageContext, names: readonly string[], says: (project: string) => string): Plan {
  const offers = names.slice(0, 20).map((name) => ({ label: name, says: says(name) }));
  return say(ctx, view('answer', 'Which project?', offers));
}

export function namesFor(ctx: MessageContext): readonly ProjectConfig[] {
  const known = projectsOf(ctx);
  const here = ctx.thread.project === null ? livesAt(ctx.config, ctx.thread.id) : [ctx.thread.project];
  const own = known.filter((project) => here.includes(project.name));
  const all = [...own, ...known.filter((project) => !own.includes(project))];
  return all.map((project) => withBesideRuns(ctx, project));
}

/** If several runs of a project work, all but the first are called by their id: `stop r3`. */
function withBesideRuns({ now }: MessageContext, project: ProjectConfig): ProjectConfig {
  const ids = now.besideRuns(project.name).map(({ id }) => id);
  return ids.length === 0 ? project : { ...project, aliases: [...project.aliases, ...ids] };
}

export function runNamed({ text }: Pick<Parsed, 'text'>): string | null {
  const [head = ''] = text.split(/[:：]/, 1);
  return /(?:^|\s)(r\d{1,9})(?=\s|$)/i.exec(head)?.[1]?.toLowerCase() ?? null;
}

/** As read on arrival, if clear and permitted. */
export function understand(ctx: MessageContext, text: string): Parsed {
  const names = namesFor(ctx);
  const { parsed = null, projects } = ctx.parsed ?? {};
  const isSame = parsed !== null && parsed.text === text && projects === ctx.config.projects;
  const isKnown = (project: string | null) =>
    project === null || project === 'all' || names.some(({ name }) => name === project);
  if (isSame && parsed.verb !== null && isKnown(parsed.project)) return parsed;
  return ctx.verbs.grammar.understand(text, names);
}

export function livesAt({ projects, channelKinds }: Config, thread: string): readonly string[] {
  const place = placeOf(channelKinds, thread);
  const named = (isHere: (chat: ChatConfig) => boolean) =>
    projects.filter(({ chats }) => chats.some(isHere)).map(({ name }) => name);
  const isChat = ({ channel, chat }: ChatConfig) =>
    channel === place?.channel && String(chat) === place.address['chat'];
  const topic = place?.address['topic'] ?? null;
  const isTopic = (chat: ChatConfig) => (chat.topic === null ? topic === null : String(chat.topic) === topic);
  const own = named((one) => isChat(one) && isTopic(one));
  return own.length > 0 || topic === null ? own : named((one) => isChat(one) && one.topic === null);
}

function projectHere({ config, thread }: MessageContext): string | null {
  const [only = null, ...others] = livesAt(config, thread.id);
  return others.length === 0 ? only : null;
}

/** Null: allowed. */
export function refusal(ctx: MessageContext, project: ProjectConfig, action: Action): Plan | null {
  const role = roleIn(ctx, project);
  if (role !== null && mayDo(role, action)) return null;
  return refuse(ctx, notAllowedText(project, ctx.by, action));
}

function projectOfReply(ctx: MessageContext): string | null {
  const run = ctx.repliesTo?.run;
  return run ? (ctx.now.spine(run)?.run.project ?? null) : null;
}

/** `diff r12` needs no project. Security: without read access the run does not exist. */
function projectOfRun(ctx: MessageContext, target: string | null): string | null {
  const project = ctx.now.spine(target?.toLowerCase() ?? '')?.run.project;
  return projectsOf(ctx).find(({ name }) => name === project)?.name ?? null;
}

/** A thread opened for a run means the run's project. */
function projectOfThread({ now, thread }: MessageContext): string | null {
  const { opened } = thread.address;
  return opened?.startsWith('r') === true ? (now.spine(opened)?.run.project ?? null) : null;
}

function knownNames(ctx: MessageContext): string {
  const names = projectsOf(ctx).map((project) => project.name);
  return names.length === 0 ? 'There are none yet.' : `Your projects: ${names.join(', ')}.`;
}

function sentenceFor(parsed: Parsed, project: string): string {
  if (parsed.verb === 'start')
    return `start ${project}${parsed.workflow ? ` with ${parsed.workflow}` : ''}: ${parsed.note ?? ''}`;
  const target =
    parsed.target === null ? '' : parsed.verb === 'rollback' ? ` to ${parsed.target}` : ` ${parsed.target}`;
  return `${parsed.verb} ${project}${target}${parsed.note ? `: ${parsed.note}` : ''}`;
}
