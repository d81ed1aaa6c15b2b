// Merged from all chats that follow it; a card in several is one entry.
import { personName, withoutCodes } from '../../bot/index.js';
import { nameInConfig, type ProjectConfig } from '../../config/index.js';
import { boundThreads } from '../../dispatch/index.js';
import type { Message } from '../../store/index.js';
import { webThreadOf } from '../access/visible-context.js';
import type { WebContext } from '../context/web-context.js';
import { mayAct } from './shared/commands.js';
import { projectPath } from './shared/paths.js';
import { Ago } from './shared/status.js';
import { capital, lineOf, shortened } from './shared/text.js';

const maxThreads = 12;
const maxRuns = 8;
const maxPosts = 40;
const shownEntries = 25;

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
  /** At first; '' for the project. */
  readonly about: string;
}

export function ProjectTalk({ web, project, shown, about }: TalkProps) {
  const isShown = ({ by, asked }: Entry) => shown === '' || (shown === 'people' ? by !== null : asked !== null);
  const entries = talkAbout(web, project).filter(isShown);
  const path = projectPath(project.name);
  return (
    <section id="talk" data-live aria-labelledby="talk-title">
      <div class="headline">
        <h2 id="talk-title">Conversation</h2>
        <nav class="seg" aria-label="Which messages">
          {Object.entries(filters).map(([filter, label]) => (
            <a
              href={filter === '' ? path : `${path}?talk=${filter}`}
              aria-current={filter === shown ? 'page' : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
      </div>
      <section class="panel talk" id="talk-lines" data-follow="box" tabindex={0} aria-label="Messages">
        {entries.length === 0 ? <p class="soft">No messages about {lineOf(project.name, 60)} here yet.</p> : null}
        <ol>
          {entries.map((entry) => (
            <TalkEntry web={web} entry={entry} />
          ))}
        </ol>
      </section>
      {mayAct(web, project.name, 'continue') ? <Composer web={web} project={project} about={about} /> : null}
    </section>
  );
}

function Composer({ web, project, about }: Omit<TalkProps, 'shown'>) {
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

function TalkEntry({ web, entry }: { readonly web: WebContext; readonly entry: Entry }) {
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
          <Ago at={entry.at} now={web.now()} />
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

function talkAbout(web: WebContext, project: ProjectConfig): readonly Entry[] {
  const { reader } = web.services.runtime;
  const bound = boundThreads(web.services.config(), project.name);
  const runs = reader.browsing.runs({ project: project.name, status: null, before: null, limit: maxRuns });
  const following = runs.flatMap(({ id }) => reader.followers(id));
  const threads = [...new Set([...bound, webThreadOf(web), ...following])].slice(0, maxThreads);
  const isAbout = ({ run }: Message) => run !== null && reader.run(run)?.project === project.name;
  const entries = new Map<string, Entry>();
  for (const thread of threads)
    for (const { at, message } of reader.browsing.posts(thread, null, maxPosts)) {
      if (!isAbout(message)) continue;
      const key = message.interaction ?? message.card ?? `${message.run}-${message.view.text}`;
      const known = entries.get(key);
      const all = [...(known?.threads ?? []), thread];
      entries.set(key, known ? { ...known, threads: all } : entryOf(message, at, thread));
    }
  const posted = [...entries.values()].sort((a, b) => a.at - b.at).slice(-shownEntries);
  const from = posted[0]?.at ?? 0;
  const said = threads.flatMap((thread) => saidAbout(web, project, { thread, isBound: bound.includes(thread), from }));
  return [...posted, ...said].sort((a, b) => a.at - b.at).slice(-shownEntries);
}

function entryOf({ id, view, run, interaction }: Message, at: number, thread: string): Entry {
  return { at, key: id, text: withoutCodes(view.text), by: null, run, asked: interaction, threads: [thread] };
}

interface Heard {
  readonly thread: string;
  readonly isBound: boolean;
  readonly from: number;
}

/** In its own chat all; elsewhere what names it. */
function saidAbout(
  { services }: WebContext,
  { name, aliases }: ProjectConfig,
  { thread, isBound, from }: Heard,
): readonly Entry[] {
  const names = [name, ...aliases].map((one) => one.toLowerCase());
  const isNamed = (text: string) =>
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}_-]+/u)
      .some((word) => names.includes(word));
  const span = { from, to: Number.MAX_SAFE_INTEGER };
  return services.runtime.reader.browsing.saidIn(thread, span, maxPosts).flatMap(({ id, at, by, body }) => {
    if (body.type !== 'text' || !(isBound || isNamed(body.text))) return [];
    return [{ at, key: `in-${id}`, text: body.text, by: by ?? 'Owner', run: null, asked: null, threads: [thread] }];
  });
}
