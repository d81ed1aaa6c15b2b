// Resolves which project a message means. It never guesses: among several, the person chooses by button.
import {
  type Action,
  type ChatConfig,
  type Config,
  mayDo,
  type ProjectConfig,
  projectNamed,
} from '../../config/index.js';
import type { Plan } from '../../dispatch/index.js';
import { placedThread } from '../../store/index.js';
import type { Parsed } from '../grammar/index.js';
import { type MessageContext, projectsOf, roleIn, say, sayError } from './message-context.js';

export type Meant = { readonly project: ProjectConfig } | { readonly plan: Plan };

/** `says` gives each button's text if the person must choose. */
export function meantProject(
  heard: MessageContext,
  parsed: Parsed,
  says: (project: string) => string = (project) => sentenceFor(parsed, project),
): Meant {
  const named =
    parsed.project ?? projectOfReply(heard) ?? heard.thread.project ?? projectOfThread(heard) ?? projectHere(heard);
  if (named !== null) {
    const project = projectNamed(heard.config, named);
    // A project does not exist for people who may not read it.
    if (project && roleIn(heard, project) !== null) return { project };
    return { plan: sayError(heard, `No project "${named}". ${knownNames(heard)}`) };
  }
  const [only, ...others] = projectsOf(heard);
  if (!only) return { plan: sayError(heard, 'No project yet. On the host: bosun init <folder>.') };
  if (others.length === 0) return { project: only };
  const all = projectsOf(heard).map(({ name }) => name);
  return { plan: askWhich(heard, all, says) };
}

export function askWhich(heard: MessageContext, names: readonly string[], says: (project: string) => string): Plan {
  const offers = names.slice(0, 20).map((name) => ({ label: name, says: says(name) }));
  return say(heard, { kind: 'answer', text: 'Which project?', offers });
}

/** The thread's own project first, so that suggestions begin with it. */
export function namesFor(heard: MessageContext): readonly ProjectConfig[] {
  const known = projectsOf(heard);
  const here = heard.thread.project === null ? livesAt(heard.config, heard.thread.id) : [heard.thread.project];
  const own = known.filter((project) => here.includes(project.name));
  return [...own, ...known.filter((project) => !own.includes(project))];
}

/** Reuses how the text was read when it came in, if that is clear and the sender may know the project. */
export function understand(heard: MessageContext, text: string): Parsed {
  const names = namesFor(heard);
  const { parsed = null, projects } = heard.parsed ?? {};
  const isSame = parsed !== null && parsed.text === text && projects === heard.config.projects;
  const isKnown = (project: string | null) =>
    project === null || project === 'all' || names.some(({ name }) => name === project);
  if (isSame && parsed.verb !== null && isKnown(parsed.project)) return parsed;
  return heard.verbs.grammar.understand(text, names);
}

/** The projects bound to this topic, else to the whole chat. */
export function livesAt({ projects }: Config, thread: string): readonly string[] {
  const place = placedThread(thread, null);
  const named = (isHere: (chat: ChatConfig) => boolean) =>
    projects.filter(({ chats }) => chats.some(isHere)).map(({ name }) => name);
  const isChat = ({ channel, chat }: ChatConfig) =>
    channel === place?.channel && String(chat) === place.address['chat'];
  if (place?.channel !== 'telegram') return named(isChat);
  const topic = place.address['topic'] ?? null;
  const topicOf = (chat: ChatConfig) =>
    chat.channel === 'telegram' && chat.topic !== null ? String(chat.topic) : null;
  const own = named((one) => isChat(one) && topicOf(one) === topic);
  return own.length > 0 || topic === null ? own : named((one) => isChat(one) && topicOf(one) === null);
}

/** null if several live here. */
function projectHere({ config, thread }: MessageContext): string | null {
  const [only = null, ...others] = livesAt(config, thread.id);
  return others.length === 0 ? only : null;
}

/** null if the person may do it. */
export function refusal(heard: MessageContext, project: ProjectConfig, action: Action): Plan | null {
  const role = roleIn(heard, project);
  if (role !== null && mayDo(role, action)) return null;
  return sayError(heard, `Not allowed: ${heard.by} is ${role ?? 'nobody'} in ${project.name}, and that takes more.`);
}

function projectOfReply(heard: MessageContext): string | null {
  const run = heard.repliesTo?.run;
  return run ? (heard.now.spine(run)?.run.project ?? null) : null;
}

/** The project of the run that Bosun opened this thread for. */
function projectOfThread({ now, thread }: MessageContext): string | null {
  const { opened } = thread.address;
  return opened?.startsWith('r') === true ? (now.spine(opened)?.run.project ?? null) : null;
}

function knownNames(heard: MessageContext): string {
  const names = projectsOf(heard).map((project) => project.name);
  return names.length === 0 ? 'There is none yet.' : `There are ${names.join(', ')}.`;
}

function sentenceFor(parsed: Parsed, project: string): string {
  if (parsed.verb === 'start')
    return `start ${project}${parsed.workflow ? ` with ${parsed.workflow}` : ''}: ${parsed.note ?? ''}`;
  const target =
    parsed.target === null ? '' : parsed.verb === 'rollback' ? ` to ${parsed.target}` : ` ${parsed.target}`;
  return `${parsed.verb} ${project}${target}${parsed.note ? `: ${parsed.note}` : ''}`;
}
