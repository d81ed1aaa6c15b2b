import { mayDo, memberRole, type ProjectConfig } from '../../config/index.js';
import { emptyPlan, ownersThreads, type Plan } from '../../dispatch/index.js';
import { type InboxRow, type NewMessage, placeOf, type RunReader, type ThreadReader } from '../../store/index.js';
import { view } from '../views/view.js';
import { answer, type MessageContext, projectsOf } from './message-context.js';

export interface Incoming {
  readonly fileId: string;
  readonly name: string;
  readonly sizeBytes: number | null;
  readonly caption: string;
  readonly album: string | null;
  readonly came?: FileCame;
}

export type FileCame =
  | { readonly kind: 'saved'; readonly path: string; readonly project: string }
  | { readonly kind: 'refused'; readonly why: string };

export interface ChatMoved {
  readonly from: string;
  readonly to: string;
}

export function isToBeFetched({ body }: InboxRow): boolean {
  return body.type === 'command' && body.name === 'file' && (body.args as Incoming).came === undefined;
}

export interface FileNews {
  readonly news: NewMessage;
  /** The caption as a command, with the path. */
  readonly words: string | null;
}

export function fileNews(ctx: MessageContext, { name, came, caption, album }: Incoming): FileNews {
  if (came === undefined || came.kind === 'refused') {
    const why = came?.why ?? 'it was not downloaded; send it again';
    return { news: answer(ctx, view('error', `${name} wasn't saved: ${why}`)), words: null };
  }
  const card = album === null ? null : `files:${album}`;
  const before = card === null ? null : ctx.now.reader.cardMessage(ctx.thread.id, card);
  const line = `Saved for ${came.project}: ${came.path}`;
  const text = before === null ? line : `${before.view.text}\n${line}`;
  return { news: answer(ctx, view('answer', text), { card }), words: wordsWith(ctx, caption, came.path) };
}

/** Null: the caption asks for nothing. */
function wordsWith(ctx: MessageContext, caption: string, path: string): string | null {
  const parsed = ctx.verbs.grammar.understand(caption, projectsOf(ctx));
  if (parsed.verb === null) return null;
  return parsed.note === null ? caption : `${caption} (file: ${path})`;
}

/** Moves the chat's project choice and subscriptions. */
export function planMoved(ctx: MessageContext, { from, to }: ChatMoved): Plan {
  const { now, config } = ctx;
  const old = now.reader.thread(from);
  const [was, is] = [placeOf(config.channelKinds, from), placeOf(config.channelKinds, to)];
  if (was === null || is === null) return emptyPlan;
  const [before = '', after = ''] = [was.address['chat'], is.address['chat']];
  const bound = config.projects.filter(({ chats }) =>
    chats.some(({ channel, chat }) => channel === was.channel && String(chat) === before),
  );
  const messages = bound.flatMap((project) => {
    const text = `The chat of ${project.name} became a supergroup and has a new id. In ${config.path}, under projects.${project.name}.chats, replace ${was.channel}: ${before} with ${is.channel}: ${after}.`;
    const shown = { ...view('report', text), rings: true };
    return ownersThreads(config, project).map((thread) => ({ ...answer(ctx, shown), thread }));
  });
  const moved = old === null ? [] : [{ ...old, id: to, address: { ...old.address, chat: after } }];
  return {
    ...emptyPlan,
    messages,
    effects: [
      ...moved.map((thread) => ({ type: 'thread' as const, thread })),
      ...runsToldIn(now.reader, from).map((run) => ({ type: 'follow' as const, run, thread: to })),
    ],
  };
}

function runsToldIn(reader: RunReader & ThreadReader, thread: string): readonly string[] {
  return reader
    .unfinishedRuns()
    .filter(({ id }) => reader.followers(id).includes(thread))
    .map(({ id }) => id);
}

export function mayBring(by: string | null, project: ProjectConfig): boolean {
  return by !== null && mayDo(memberRole(project, by), 'continue');
}
