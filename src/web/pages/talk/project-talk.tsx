// The conversation about a project, with a field to add to it.
import { personName } from '../../../bot/index.js';
import { nameInConfig, type ProjectConfig } from '../../../config/index.js';
import type { WebContext } from '../../context/web-context.js';
import { mayAct } from '../shared/commands.js';
import { projectPath } from '../shared/paths.js';
import { capital, channelName, clockOf, dayOf, isoOf, lineOf, shortened } from '../shared/text.js';
import { type Entry, talkAbout } from './talk-about.js';

/** All, people's words, or decisions. */
export type TalkShown = '' | 'people' | 'decisions';

const filters: Readonly<Record<TalkShown, string>> = { '': 'All', people: 'People', decisions: 'Decisions' };

interface TalkProps {
  readonly web: WebContext;
  readonly project: ProjectConfig;
  readonly shown: TalkShown;
  /** Only messages before this one; null: the newest. */
  readonly before: string | null;
  /** All messages from this one on, with a page of those before it; null: one page. */
  readonly back: string | null;
  /** The composer's run at first; '': the project. */
  readonly about: string;
}

export function ProjectTalk({ web, project, shown, before, back, about }: TalkProps) {
  const isShown = ({ by, asked }: Entry) => shown === '' || (shown === 'people' ? by !== null : asked !== null);
  const { entries, earlier, isNewest } = talkAbout(web, { project, isShown, before, back });
  const { zone } = web;
  const link = (to: { readonly talk?: TalkShown; readonly before?: string; readonly back?: string }) => {
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
        {earlier === null && isNewest ? null : (
          <p class="more">
            {earlier === null ? null : (
              <a href={link({ before: earlier })} id="talk-earlier" data-swaps data-address={link({ back: earlier })}>
                Earlier
              </a>
            )}{' '}
            {isNewest ? null : (
              <a href={link({})} data-swaps>
                Newest
              </a>
            )}
          </p>
        )}
        {entries.length > 0 ? null : earlier === null && isNewest ? (
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

function Composer({ web, project, about }: Omit<TalkProps, 'shown' | 'before' | 'back'>) {
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
    <li id={`said-${entry.key}`} class={entry.by !== null ? 'mine' : isOpen ? 'open' : undefined}>
      <span class={`face ${entry.by === null ? 'bot' : ''}`} aria-hidden="true">
        {[...name.toUpperCase()][0]}
      </span>
      <div>
        <p class="soft row">
          <strong>{name}</strong>
          <span>{channels.map(capital).join(', ')}</span>
          <time class="num" datetime={isoOf(entry.at)}>
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
  return channelName(channel);
}
