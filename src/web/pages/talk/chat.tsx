import { messageJson } from '../../../bot/index.js';
import type { Interaction } from '../../../engine/index.js';
import type { HomeReader, Message, MessageReader, RunReader } from '../../../store/index.js';
import { webThreadOf } from '../../access/visible-context.js';
import type { WebContext } from '../../context/web-context.js';
import { AnswerForm } from '../cards/answer-form.js';
import { CardText } from '../cards/card-text.js';
import { messageText } from '../cards/card-words.js';
import { Ago } from '../shared/status.js';
import { lineOf, shortened } from '../shared/text.js';

const shownPosts = 120;
const shownSaid = 240;
/** Further back, pages replace each other. */
const maxPagesBack = 5;

type Line =
  | { readonly kind: 'said'; readonly at: number; readonly id: string; readonly text: string; readonly by: string }
  | { readonly kind: 'posted'; readonly at: number; readonly message: Message };

interface ChatQuery {
  /** Only messages before this one; null: the newest. */
  readonly before: string | null;
  /** All from this message on, with a page of those before it; null: one page. */
  readonly back: string | null;
}

export function Chat({ web, query }: { readonly web: WebContext; readonly query: ChatQuery }) {
  const { reader } = web.services.runtime;
  const { lines, earlier, isNewest } = talkOf(reader, webThreadOf(web), query);
  const project = web.services.config().projects[0]?.name;
  return (
    <>
      <h1 class="hidden">Chat</h1>
      <p class="more" id="earlier" data-live>
        {earlier === null ? null : (
          <a id="chat-earlier" href={`/chat?before=${earlier}`} data-swaps data-address={`/chat?back=${earlier}`}>
            Earlier
          </a>
        )}{' '}
        {isNewest ? null : <a href="/chat">Newest</a>}
      </p>
      <ol class="chat" id="chat" data-live data-follow={isNewest ? 'page' : undefined} aria-label="Messages">
        {lines.length === 0 ? <Welcome project={project} /> : lines.map((line) => <Row line={line} web={web} />)}
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
          <strong>No messages here yet.</strong>
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

interface Talk {
  readonly lines: readonly Line[];
  /** Null: none earlier. */
  readonly earlier: string | null;
  /** No newer message is left out. */
  readonly isNewest: boolean;
}

type Reader = MessageReader & Pick<HomeReader, 'browsing'>;

function talkOf(reader: Reader, thread: string, { before, back }: ChatQuery): Talk {
  const older = pageBefore(reader, thread, back ?? before);
  if (back === null) return { ...older, isNewest: before === null };
  let newer: readonly Line[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < maxPagesBack; page += 1) {
    const next = pageBefore(reader, thread, cursor, back);
    newer = [...next.lines, ...newer];
    cursor = next.earlier;
    if (cursor === null) return { ...older, lines: [...older.lines, ...newer], isNewest: true };
  }
  return { ...older, isNewest: false };
}

/** A card stands at its first post, in its newest edit. `down`: not before this message. */
function pageBefore(reader: Reader, thread: string, before: string | null, down: string | null = null) {
  const isWithin = ({ root }: { readonly root: string }) => down === null || numberOf(root) >= numberOf(down);
  const found = reader.browsing.posts(thread, before, shownPosts + 1).filter(isWithin);
  const shown = found.slice(-shownPosts);
  const earlier = found.length > shown.length ? (shown[0]?.root ?? null) : null;
  const timeOf = (message: string) => reader.message(message)?.at ?? 0;
  const span = {
    from: earlier === null ? (down === null ? 0 : timeOf(down)) : (shown[0]?.at ?? 0),
    to: before === null ? Number.MAX_SAFE_INTEGER : timeOf(before),
  };
  const said = reader.browsing.saidIn(thread, span, shownSaid).flatMap(({ id, at, by, body }): Line[] => {
    if (body.type !== 'text') return [];
    return [{ kind: 'said', at, id: `in-${id}`, text: body.text, by: by ?? 'You' }];
  });
  const posted = shown.map(({ at, message }): Line => ({ kind: 'posted', at, message }));
  return { lines: [...said, ...posted].sort((a, b) => a.at - b.at), earlier };
}

const numberOf = (message: string) => Number(message.slice(1));

function Row({ line, web }: { readonly line: Line; readonly web: WebContext }) {
  if (line.kind === 'said') {
    return (
      <li class="mine" id={line.id}>
        <div class="bubble">
          <span class="hidden">{lineOf(line.by, 60)} said: </span>
          <pre dir="auto">{shortened(line.text)}</pre>
        </div>
      </li>
    );
  }
  const { message } = line;
  const { reader } = web.services.runtime;
  const open = openOf(reader, message);
  const text = messageText(message.view, web.zone);
  const isError = message.view.kind === 'error';
  return (
    <li class={open ? 'asks' : isError ? 'error' : undefined} data-key={message.edits ?? message.id}>
      <div class="bubble">
        {open ? <CardText text={text} title="" /> : <pre dir="auto">{shortened(text, 4_000)}</pre>}
        {message.view.file === null ? null : (
          <details id={`file-${message.id}`}>
            <summary>{lineOf(message.view.file.name, 80)}</summary>
            <pre class="block">{shortened(message.view.file.text, 20_000)}</pre>
          </details>
        )}
        {open ? (
          <AnswerForm web={web} run={message.run} project={open.project} interaction={open.interaction} />
        ) : (
          <Offers message={message} />
        )}
      </div>
      <p class="soft">
        <Ago at={message.at} now={web.now()} />
        {message.run === null ? null : (
          <>
            {' · '}
            <a href={`/runs/${message.run}`}>{message.run}</a>
          </>
        )}
      </p>
    </li>
  );
}

function openOf(
  reader: RunReader,
  { interaction, view }: Message,
): { readonly project: string; readonly interaction: Interaction } | null {
  if (interaction === null || !view.buttons.some(({ press }) => press.startsWith(`${interaction}.`))) return null;
  const found = reader.interaction(interaction);
  if (found?.interaction.state !== 'open') return null;
  return { project: reader.run(found.run)?.project ?? '', interaction: found.interaction };
}

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
