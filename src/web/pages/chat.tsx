// The chat in the page: a thread like any other, with the same cards and the same buttons.
import { messageJson } from '../../bot/index.js';
import type { Message, Store } from '../../dispatch/index.js';
import { webThreadOf } from '../seen-by.js';
import type { Site } from '../site.js';
import { AnswerForm, type Asked } from './card.js';
import { changesPath } from './paths.js';
import { Ago } from './status.js';
import { lineOf, shortened } from './text.js';
import { Told } from './told.js';

const shownMessages = 120;
const shownSaid = 60;

type Line =
  | { readonly kind: 'said'; readonly at: number; readonly id: string; readonly text: string; readonly by: string }
  | { readonly kind: 'posted'; readonly at: number; readonly message: Message };

export function Chat({ site }: { readonly site: Site }) {
  const { store } = site.desk.room;
  const lines = linesOf(store, webThreadOf(site));
  const project = site.desk.config().projects[0]?.name;
  return (
    <>
      <h1 class="hidden">Chat</h1>
      <ol class="chat" id="chat" data-live data-follow="page" aria-label="Messages">
        {lines.length === 0 ? <Welcome project={project} /> : lines.map((line) => <Row line={line} site={site} />)}
      </ol>
      <form class="say" method="post" action="/api/say" data-act="say">
        <label for="say">
          <span class="hidden">Message</span>
          <textarea
            id="say"
            name="text"
            rows={1}
            maxlength={20_000}
            placeholder={project === undefined ? 'help' : `continue ${lineOf(project, 60)}`}
            data-enter
            data-first
          ></textarea>
        </label>
        <button type="submit" class="first">
          Send
        </button>
      </form>
    </>
  );
}

function Welcome({ project }: { readonly project: string | undefined }) {
  return (
    <li>
      <div class="bubble">
        <p>
          <strong>Nothing was said here yet.</strong>
        </p>
        {project === undefined ? (
          <p>
            There is no project yet: <code>bosun init</code> in a project's folder makes one. Say <code>help</code> for
            what Bosun understands.
          </p>
        ) : (
          <p>
            Try <code>continue {lineOf(project)}</code>, <code>status</code> or <code>help</code>. New work:{' '}
            <code>{lineOf(project)}: what to do</code>.
          </p>
        )}
      </div>
    </li>
  );
}

/** A card stands where it was first posted, as its newest edit has it. */
function linesOf(store: Store, thread: string): readonly Line[] {
  const cards = new Map<string, Line>();
  for (const message of store.browsing.newestMessages(thread, shownMessages)) {
    const root = message.edits ?? message.id;
    const first = cards.get(root);
    cards.set(root, { kind: 'posted', at: first?.at ?? message.at, message });
  }
  const said = store.browsing.saidIn(thread, shownSaid).flatMap(({ id, at, by, body }): Line[] => {
    if (body.type !== 'text') return [];
    return [{ kind: 'said', at, id: `in-${id}`, text: body.text, by: by ?? 'You' }];
  });
  return [...said, ...cards.values()].sort((a, b) => a.at - b.at);
}

function Row({ line, site }: { readonly line: Line; readonly site: Site }) {
  if (line.kind === 'said') {
    return (
      <li class="mine">
        <div class="bubble">
          <span class="hidden">{lineOf(line.by, 60)} said: </span>
          <pre dir="auto">{shortened(line.text)}</pre>
        </div>
      </li>
    );
  }
  const { message } = line;
  const { store } = site.desk.room;
  const open = openOf(store, message);
  const isError = message.view.kind === 'error';
  return (
    <li class={open ? 'asks' : isError ? 'error' : undefined} data-key={message.edits ?? message.id}>
      <div class="bubble">
        {open ? (
          <Told text={message.view.text} title="" code={open.interaction.id} />
        ) : (
          <pre dir="auto">{shortened(message.view.text, 4_000)}</pre>
        )}
        {message.view.file === null ? null : (
          <details id={`file-${message.id}`}>
            <summary>{lineOf(message.view.file.name, 80)}</summary>
            <pre class="block">{shortened(message.view.file.text, 20_000)}</pre>
          </details>
        )}
        {open ? (
          <AnswerForm site={site} project={open.project} interaction={open.interaction} />
        ) : (
          <Offers message={message} />
        )}
      </div>
      <p class="soft">
        <Ago at={message.at} now={site.now()} />
        {message.run === null ? null : (
          <>
            {' · '}
            <a href={`/runs/${message.run}`}>{message.run}</a>
          </>
        )}
        {open?.interaction.kind === 'review' && message.run !== null ? (
          <>
            {' · '}
            <a href={changesPath(message.run, open.interaction.chain)}>See the changes</a>
          </>
        ) : null}
      </p>
    </li>
  );
}

function openOf(store: Store, { interaction, view }: Message): Pick<Asked, 'project' | 'interaction'> | null {
  if (interaction === null || !view.buttons.some(({ press }) => press.startsWith(`${interaction}.`))) return null;
  const found = store.interaction(interaction);
  if (found?.interaction.state !== 'open') return null;
  return { project: store.run(found.run)?.project ?? '', interaction: found.interaction };
}

/** What an answer offers beside itself. */
function Offers({ message }: { readonly message: Message }) {
  const own = messageJson(message).buttons.filter(({ press }) => press.startsWith(`${message.id}.`));
  if (own.length === 0) return null;
  return (
    <form class="buttons" method="post" action="/api/press" data-act="press">
      {own.map(({ label, press }) => (
        <button type="submit" name="press" value={press}>
          {lineOf(label, 80)}
        </button>
      ))}
    </form>
  );
}
