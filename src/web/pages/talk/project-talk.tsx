// Messages merged from all chats that follow the project; a card in several is one entry.
import { personName, withoutCodes } from '../../bot/index.js';
import { nameInConfig, type ProjectConfig } from '../../config/index.js';
import { boundThreads } from '../../dispatch/index.js';
import type { Message } from '../../store/index.js';
import { webThreadOf } from '../access/visible-context.js';
import type { WebContext } from '../context/web-context.js';
import { mayAct } from './shared/commands.js';
import { projectPath } from './shared/paths.js';
import { capital, clockOf, dayOf, isoOf, lineOf, shortened, stampOf } from './shared/text.js';

const maxThreads = 12;
const maxRuns = 8;
const maxPosts = 40;
const shownPosts = 25;
const leastEntries = 8;

interface Entry {
  readonly at: number;
  readonly key: string;
  readonly text: string;
  readonly by: string | null;
  readonly run: string | null;
  /** Asked or settled here; null: none. */
  readonly asked: string | null;
  readonly threads: readonly string[];
}

/** All, people's words, or decisions. */
export type TalkShown = '' | 'people' | 'decisions';

const filters: Readonly<Record<TalkShown, string>> = { '': 'All', people: 'People', decisions: 'Decisions' };

interface TalkProps {
  readonly web: WebContext;
  readonly project: ProjectConfig;
  readonly shown: TalkShown;
  /** Only messages before this one; null: the newest. */
  readonly before: string | null;
  /** The run that the composer is about at first; empty: the project. */
  readonly about: string;
}

export function ProjectTalk({ web, project, shown, before, about }: TalkProps) {
  const isShown = ({ by, asked }: Entry) => shown === '' || (shown === 'people' ? by !== null : asked !== null);
  const { entries, earlier } = talkAbout(web, { project, isShown, before });
  const { zone } = project.budget;
  const link = (to: { readonly talk?: TalkShown; readonly before?: string }) => {
    const set = new URLSearchParams(Object.entries({ talk: shown, ...to }).filter(([, value]) => value !== ''));
    return `${projectPath(project.name)}${set.size === 0 ? '' : `?${set}`}#talk`;
  };
  return (
    <section id="talk" data-live aria-labelledby="talk-title">
      <div class="headline">
        <h2 id="talk-title">Conversation</h2>
        <nav class="seg" aria-label="Which messages">
          {Object.entries(filters).map(([filter, label]) => (
            <a href={link({ talk: filter as TalkShown })} aria-current={filter === shown ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
      </div>
      <section class="panel talk" id="talk-lines" data-follow="box" tabindex={0} aria-label="Messages">
        {earlier === null && before === null ? null : (
          <p class="more">
            {earlier === null ? null : (
              <a href={link({ before: earlier })} data-swaps>
                Earlier
              </a>
            )}{' '}
            {before === null ? null : (
              <a href={link({})} data-swaps>
                Newest
              </a>
            )}
          </p>
        )}
        {entries.length > 0 ? null : earlier === null && before === null ? (
          <p class="soft">No messages about {lineOf(project.name, 60)} here yet.</p>
        ) : (
          <p class="soft">None of these among the messages read here.</p>
        )}
        {daysOf(entries, web.now(), zone).map(({ day, own }) => (
          <>
            <h3 class="day-line">{day}</h3>
            <ol>
              {own.map((entry) => (
                <TalkEntry web={web} entry={entry} zone={zone} />
              ))}
            </ol>
          </>
        ))}
      </section>
      {mayAct(web, project.name, 'continue') ? <Composer web={web} project={project} about={about} /> : null}
    </section>
  );
}

function Composer({ web, project, about }: Omit<TalkProps, 'shown' | 'before'>) {
  const name = lineOf(project.name, 200);
  const [run] = web.services.runtime.reader.browsing.liveRuns(project.name, 1);
  const step = run?.live.find(({ startedAt }) => startedAt !== null);
  return (
    <div data-key="talk-say">
      <form class="talk-say" method="post" action="/api/say" data-act="say" data-about={name}>
        {run === undefined || step === undefined ? null : (
          <fieldset class="row">
            <legend class="hidden">What the message is about</legend>
            <label class="tick">
              <input type="radio" name="about" value={name} checked={about !== run.id} />
              about {lineOf(project.name, 40)}
            </label>
            <label class="tick">
              <input type="radio" name="about" value={`note for ${name}`} checked={about === run.id} />
              about {run.id}: a note for {lineOf(step.chain === '' ? step.step : `${step.chain} ${step.step}`, 60)}
            </label>
          </fieldset>
        )}
        <label for="say">
          <span class="hidden">Message about {lineOf(project.name, 60)}</span>
          <textarea
            id="say"
            name="text"
            rows={1}
            maxlength={20_000}
            placeholder="A task, or a word like status"
            data-enter
          />
        </label>
        <button type="submit">Send</button>
      </form>
    </div>
  );
}

/** Neighbours of one day together. */
function daysOf(entries: readonly Entry[], now: number, zone: string | null) {
  const days: { readonly day: string; readonly own: Entry[] }[] = [];
  for (const entry of entries) {
    const day = dayOf(entry.at, now, zone);
    const last = days.at(-1);
    if (last?.day === day) last.own.push(entry);
    else days.push({ day, own: [entry] });
  }
  return days;
}

interface TalkEntryProps {
  readonly web: WebContext;
  readonly entry: Entry;
  readonly zone: string | null;
}

function TalkEntry({ web, entry, zone }: TalkEntryProps) {
  const channels = [...new Set(entry.threads.map((thread) => channelOf(web, thread)))].filter((one) => one !== '');
  const [first = '', ...rest] = shortened(entry.text, 2_000).split('\n');
  const isOpen =
    entry.asked !== null && web.services.runtime.reader.interaction(entry.asked)?.interaction.state === 'open';
  const name = entry.by === null ? 'Bosun' : lineOf(personName(nameInConfig(entry.by)), 40);
  return (
    <li class={entry.by !== null ? 'mine' : isOpen ? 'open' : undefined}>
      <span class={`face ${entry.by === null ? 'bot' : ''}`} aria-hidden="true">
        {[...name.toUpperCase()][0]}
      </span>
      <div>
        <p class="soft row">
          <strong>{name}</strong>
          <span>{channels.map(capital).join(', ')}</span>
          <time class="num" datetime={isoOf(entry.at)} title={`${stampOf(entry.at)} UTC`}>
            {clockOf(entry.at, zone)}
          </time>
          {entry.run === null ? null : <a href={`/runs/${entry.run}`}>{entry.run}</a>}
        </p>
        {rest.length === 0 ? (
          <p dir="auto">{first}</p>
        ) : (
          <details id={`talk-${entry.key}`}>
            <summary dir="auto">{first}</summary>
            <pre dir="auto">{rest.join('\n')}</pre>
          </details>
        )}
        {isOpen ? (
          <p>
            <a class="button line" href={`#card-${entry.asked}`}>
              Answer it
            </a>
          </p>
        ) : null}
      </div>
    </li>
  );
}

function channelOf({ services }: WebContext, thread: string): string {
  const channel = services.runtime.reader.thread(thread)?.channel ?? thread.split(':')[0] ?? '';
  return channel === 'web' ? 'page' : lineOf(channel, 20);
}

interface Talk {
  /** Newest last. */
  readonly entries: readonly Entry[];
  /** The message before which earlier ones are; null: there are none. */
  readonly earlier: string | null;
}

interface Asked {
  readonly project: ProjectConfig;
  readonly isShown: (entry: Entry) => boolean;
  /** Only messages before this one; null: the newest. */
  readonly before: string | null;
}

/** Each round reads a bounded number of messages; a chat that is about other projects takes several. */
const maxRounds = 5;

function talkAbout(web: WebContext, { project, isShown, before }: Asked): Talk {
  const { reader } = web.services.runtime;
  const bound = boundThreads(web.services.config(), project.name);
  const runs = reader.browsing.runs({ project: project.name, status: null, before: null, limit: maxRuns });
  const following = runs.flatMap(({ id }) => reader.followers(id));
  const threads = [...new Set([...bound, webThreadOf(web), ...following])].slice(0, maxThreads);
  const timeOf = (message: string | null, otherwise: number) =>
    (message === null ? null : reader.message(message)?.at) ?? otherwise;
  let cursor = before;
  let entries: readonly Entry[] = [];
  for (let round = 0; round < maxRounds && entries.length < leastEntries; round += 1) {
    const { posted, earlier } = postedAbout(web, { project: project.name, threads, before: cursor });
    const span = { from: timeOf(earlier, 0), to: timeOf(cursor, Number.MAX_SAFE_INTEGER) };
    const said = threads.flatMap((thread) =>
      saidAbout(web, project, { thread, isBound: bound.includes(thread), span }),
    );
    entries = [...[...posted, ...said].filter(isShown).sort((one, other) => one.at - other.at), ...entries];
    cursor = earlier;
    if (cursor === null) break;
  }
  return { entries, earlier: cursor };
}

interface Posted {
  readonly project: string;
  readonly threads: readonly string[];
  readonly before: string | null;
}

/** The messages of all threads down to where each of them was read. */
function postedAbout(web: WebContext, { project, threads, before }: Posted) {
  const { reader } = web.services.runtime;
  const isAbout = ({ run }: Message) => run !== null && reader.run(run)?.project === project;
  const read = threads.map((thread) => ({ thread, posts: reader.browsing.posts(thread, before, maxPosts) }));
  const floor = Math.max(0, ...read.map(({ posts }) => (posts.length < maxPosts ? 0 : numberOf(posts[0]?.root))));
  const all = read
    .flatMap(({ thread, posts }) => posts.map((post) => ({ thread, ...post })))
    .filter(({ root, message }) => numberOf(root) >= floor && isAbout(message))
    .sort((one, other) => numberOf(one.root) - numberOf(other.root));
  const shown = all.slice(-shownPosts);
  const entries = new Map<string, Entry>();
  for (const { thread, at, message } of shown) {
    const key = message.interaction ?? message.card ?? `${message.run}-${message.view.text}`;
    const known = entries.get(key);
    entries.set(key, known ? { ...known, threads: [...known.threads, thread] } : entryOf(message, at, thread));
  }
  const first = shown.length < all.length ? numberOf(shown[0]?.root) : floor;
  return { posted: [...entries.values()], earlier: first === 0 ? null : `m${first}` };
}

const numberOf = (root: string | undefined) => Number(root?.slice(1) ?? 0);

function entryOf({ id, view, run, interaction }: Message, at: number, thread: string): Entry {
  return { at, key: id, text: withoutCodes(view.text), by: null, run, asked: interaction, threads: [thread] };
}

interface Heard {
  readonly thread: string;
  readonly isBound: boolean;
  readonly span: { readonly from: number; readonly to: number };
}

/** In its own chat all; elsewhere what names it. */
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
