// Merges messages from all chats that follow a project; a card in several is one entry.
import type { ProjectConfig } from '../../../config/index.js';
import { boundThreads } from '../../../dispatch/index.js';
import type { Message } from '../../../store/index.js';
import { webThreadOf } from '../../access/visible-context.js';
import type { WebContext } from '../../context/web-context.js';
import { messageText } from '../cards/card-words.js';

const maxThreads = 12;
const maxRuns = 8;
const maxPosts = 40;
const shownPosts = 25;
const leastEntries = 8;

export interface Entry {
  readonly at: number;
  readonly key: string;
  readonly text: string;
  readonly by: string | null;
  readonly run: string | null;
  /** Asked or settled here; null: none. */
  readonly asked: string | null;
  readonly threads: readonly string[];
}

interface Talk {
  readonly entries: readonly Entry[];
  /** Earlier messages are before this one; null: there are none. */
  readonly earlier: string | null;
  readonly isNewest: boolean;
}

interface Asked {
  readonly project: ProjectConfig;
  readonly isShown: (entry: Entry) => boolean;
  readonly before: string | null;
  readonly back: string | null;
}

/** Each round reads a bounded number of messages; a chat about other projects takes several. */
const maxRounds = 5;
const maxRoundsBack = 15;

export function talkAbout(web: WebContext, { project, isShown, before, back }: Asked): Talk {
  const about = { ...chatsOf(web, project), project, isShown };
  const older = readBack(web, about, { before: back ?? before, down: null });
  if (back === null) return { ...older, isNewest: before === null };
  const newer = readBack(web, about, { before: null, down: back });
  const isWhole = newer.earlier === null || newer.earlier === back;
  return { ...older, entries: [...older.entries, ...(isWhole ? newer.entries : [])], isNewest: isWhole };
}

function chatsOf(web: WebContext, { name }: ProjectConfig) {
  const { reader } = web.services.runtime;
  const bound = boundThreads(web.services.config(), name);
  const runs = reader.browsing.runs({ project: name, status: null, before: null, limit: maxRuns });
  const following = runs.flatMap(({ id }) => reader.followers(id));
  return { bound, threads: [...new Set([...bound, webThreadOf(web), ...following])].slice(0, maxThreads) };
}

interface About extends Pick<Asked, 'project' | 'isShown'>, ReturnType<typeof chatsOf> {}

interface Stretch {
  readonly before: string | null;
  /** Down to this message; null: down to a page. */
  readonly down: string | null;
}

function readBack(web: WebContext, about: About, { before, down }: Stretch): Omit<Talk, 'isNewest'> {
  const { project, threads, bound, isShown } = about;
  const { reader } = web.services.runtime;
  const timeOf = (message: string | null, otherwise: number) =>
    (message === null ? null : reader.message(message)?.at) ?? otherwise;
  const isEnough = (count: number, round: number) =>
    down === null ? round >= maxRounds || count >= leastEntries : round >= maxRoundsBack;
  let cursor = before;
  let entries: readonly Entry[] = [];
  for (let round = 0; !isEnough(entries.length, round); round += 1) {
    const { posted, earlier } = postedAbout(web, { project: project.name, threads, before: cursor, down });
    const span = { from: timeOf(earlier, 0), to: timeOf(cursor, Number.MAX_SAFE_INTEGER) };
    const said = threads.flatMap((thread) =>
      saidAbout(web, project, { thread, isBound: bound.includes(thread), span }),
    );
    entries = [...[...posted, ...said].filter(isShown).sort((one, other) => one.at - other.at), ...entries];
    cursor = earlier;
    if (cursor === null || cursor === down) break;
  }
  return { entries, earlier: cursor };
}

interface Posted {
  readonly project: string;
  readonly threads: readonly string[];
  readonly before: string | null;
  readonly down: string | null;
}

/** Ends where the first thread's read was cut, so that the merged page has no gap. */
function postedAbout(web: WebContext, { project, threads, before, down }: Posted) {
  const { reader } = web.services.runtime;
  const isAbout = ({ run }: Message) => run !== null && reader.run(run)?.project === project;
  const read = threads.map((thread) => ({ thread, posts: reader.browsing.posts(thread, before, maxPosts) }));
  const floor = Math.max(
    numberOf(down ?? undefined),
    ...read.map(({ posts }) => (posts.length < maxPosts ? 0 : numberOf(posts[0]?.root))),
  );
  const all = read
    .flatMap(({ thread, posts }) => posts.map((post) => ({ thread, ...post })))
    .filter(({ root, message }) => numberOf(root) >= floor && isAbout(message))
    .sort((one, other) => numberOf(one.root) - numberOf(other.root));
  const shown = all.slice(-shownPosts);
  const entries = new Map<string, Entry>();
  for (const { thread, at, message } of shown) {
    const key = message.interaction ?? message.card ?? `${message.run}-${message.view.text}`;
    const known = entries.get(key);
    entries.set(key, known ? { ...known, threads: [...known.threads, thread] } : entryOf(web, message, at, thread));
  }
  const first = shown.length < all.length ? numberOf(shown[0]?.root) : floor;
  return { posted: [...entries.values()], earlier: first === 0 ? null : `m${first}` };
}

const numberOf = (root: string | undefined) => Number(root?.slice(1) ?? 0);

function entryOf(web: WebContext, { id, view, run, interaction }: Message, at: number, thread: string): Entry {
  return { at, key: id, text: messageText(view, web.zone), by: null, run, asked: interaction, threads: [thread] };
}

interface Heard {
  readonly thread: string;
  readonly isBound: boolean;
  readonly span: { readonly from: number; readonly to: number };
}

/** All of the project's own chat; elsewhere messages that name it. */
function saidAbout(
  { services }: WebContext,
  { name, aliases }: ProjectConfig,
  { thread, isBound, span }: Heard,
): readonly Entry[] {
  const names = [name, ...aliases].map((one) => one.toLowerCase());
  const isNamed = (text: string) =>
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}_-]+/u)
      .some((word) => names.includes(word));
  return services.runtime.reader.browsing.saidIn(thread, span, maxPosts).flatMap(({ id, at, by, body }) => {
    if (body.type !== 'text' || !(isBound || isNamed(body.text))) return [];
    return [{ at, key: `in-${id}`, text: body.text, by: by ?? 'Owner', run: null, asked: null, threads: [thread] }];
  });
}
