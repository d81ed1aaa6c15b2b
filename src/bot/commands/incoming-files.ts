// What comes by a chat and is no sentence: files that were sent, and a chat that goes on under another id.

import { mayDo, memberRole, type ProjectConfig } from '../../config/index.js';
import { ownersThreads, type Plan } from '../../dispatch/index.js';
import type { InboxRow, NewMessage, Store } from '../../store/index.js';
import { understand } from '../grammar/index.js';
import { view } from '../views/view.js';
import { answer, type MessageContext, projectsOf } from './message-context.js';

/** A file as it was sent; fetched, once `came` is there. */
export interface Incoming {
  readonly fileId: string;
  readonly name: string;
  readonly sizeBytes: number | null;
  readonly caption: string;
  /** Files that were sent as one have this in common. */
  readonly album: string | null;
  readonly came?: FileCame;
}

export type FileCame =
  /** `path`: below the project's folder. */
  | { readonly kind: 'saved'; readonly path: string; readonly project: string }
  | { readonly kind: 'refused'; readonly why: string };

/** A group that became a large one. */
export interface ChatMoved {
  readonly from: string;
  readonly to: string;
}

/** Whether somebody has to fetch it before it can be handled. */
export function isToBeFetched({ body }: InboxRow): boolean {
  return body.type === 'command' && body.name === 'file' && (body.args as Incoming).came === undefined;
}

export interface FileNews {
  readonly news: NewMessage;
  /** What was said with the file, with its place where an agent is to read of it; null: nothing. */
  readonly words: string | null;
}

export function fileNews(heard: MessageContext, { name, came, caption, album }: Incoming): FileNews {
  if (came === undefined || came.kind === 'refused') {
    const why = came?.why ?? 'it was not fetched; send it again';
    return { news: answer(heard, view({ kind: 'error', text: `${name} was not saved: ${why}` })), words: null };
  }
  const card = album === null ? null : `files:${album}`;
  const before = card === null ? null : heard.now.store.cardMessage(heard.thread.id, card);
  const line = `Saved for ${came.project}: ${came.path}`;
  const text = before === null ? line : `${before.view.text}\n${line}`;
  return { news: answer(heard, view({ kind: 'answer', text }), { card }), words: wordsWith(heard, caption, came.path) };
}

/** Only a whole sentence of the grammar is heard: whoever names a file does not ask for anything. */
function wordsWith(heard: MessageContext, caption: string, path: string): string | null {
  const parsed = understand(caption, projectsOf(heard));
  if (parsed.verb === null) return null;
  return parsed.note === null ? caption : `${caption} (file: ${path})`;
}

/** What was chosen in the old chat holds in the new one, and what ran there is told there. */
export function planMoved(heard: MessageContext, { from, to }: ChatMoved): Plan {
  const { now, config } = heard;
  const old = now.store.thread(from);
  const bound = config.projects.filter(({ chats }) =>
    chats.some((one) => one.channel === 'telegram' && `tg:${one.chat}` === from),
  );
  const messages = bound.flatMap((project) => {
    const text = `The chat of ${project.name} became a large group with another id: in ${config.path}, projects.${project.name}.chats, write telegram: ${to.slice(3)} in place of telegram: ${from.slice(3)}.`;
    const shown = view({ kind: 'report', text, rings: true });
    return ownersThreads(config, project).map((thread) => ({ ...answer(heard, shown), thread }));
  });
  const threads = old === null ? [] : [{ ...old, id: to, address: { ...old.address, chat: to.slice(3) } }];
  return { events: [], messages, threads, follows: runsToldIn(now.store, from).map((run) => ({ run, thread: to })) };
}

function runsToldIn(store: Store, thread: string): readonly string[] {
  return store
    .unfinishedRuns()
    .filter(({ id }) => store.followers(id).includes(thread))
    .map(({ id }) => id);
}

/** Whoever may let work go on in a project may give it files. */
export function mayBring(by: string | null, project: ProjectConfig): boolean {
  return by !== null && mayDo(memberRole(project, by), 'continue');
}
