import { BosunError } from '../../base/index.js';
import { type Config, memberRole } from '../../config/index.js';
import type { InboxRow, ThreadReader } from '../../store/index.js';
import { type FileCame, type Incoming, mayBring } from '../commands/incoming-files.js';
import { threadAt } from '../commands/message-context.js';
import { notAllowedText } from '../commands/not-allowed.js';
import { livesAt } from '../commands/which-project.js';
import type { Grammar } from '../grammar/index.js';
import { maxFileBytes, saveFile } from './inbox-folder.js';

export { maxFileBytes };

/** By platform id. Errors are worded for the sender; a known size fails early. */
export type Download = (fileId: string, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

export interface FetchingParts {
  readonly config: () => Config;
  readonly reader: Pick<ThreadReader, 'placed'>;
  readonly download: Download;
  readonly albums: Albums;
  readonly grammar: Grammar;
}

/** Only one file of an album has the caption. Bounded. */
export class Albums {
  readonly #projects = new Map<string, string>();

  of(album: string | null): string | null {
    return album === null ? null : (this.#projects.get(album) ?? null);
  }

  note(album: string | null, project: string): void {
    if (album === null) return;
    this.#projects.set(album, project);
    const [oldest] = this.#projects.keys();
    if (this.#projects.size > maxAlbums && oldest !== undefined) this.#projects.delete(oldest);
  }
}

const maxAlbums = 100;

export async function fetched(row: InboxRow, parts: FetchingParts, signal: AbortSignal): Promise<InboxRow> {
  if (row.body.type !== 'command') return row;
  const incoming = row.body.args as Incoming;
  const came = await bring(row, incoming, parts, signal);
  return { ...row, body: { ...row.body, args: { ...incoming, came } satisfies Incoming } };
}

async function bring(row: InboxRow, incoming: Incoming, parts: FetchingParts, signal: AbortSignal): Promise<FileCame> {
  const meant = projectFor(row, incoming, parts);
  if ('why' in meant) return { kind: 'refused', why: meant.why };
  if ((incoming.sizeBytes ?? 0) > maxFileBytes) return { kind: 'refused', why: 'it is larger than 20 MB' };
  const { name: project, root } = meant;
  parts.albums.note(incoming.album, project);
  try {
    const bytes = await parts.download(incoming.fileId, signal);
    return { kind: 'saved', project, path: await saveFile({ root, name: incoming.name, row, bytes }) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: 'refused', why: error instanceof BosunError ? error.message : 'Bosun could not write it' };
  }
}

function projectFor(
  { thread: id, by }: InboxRow,
  { caption, album }: Incoming,
  { config: read, reader, albums, grammar }: FetchingParts,
) {
  const config = read();
  const mine = config.projects.filter((one) => by !== null && memberRole(one, by) !== null);
  const isMine = (name: string | null) => mine.find((one) => one.name === name);
  const [here, ...others] = livesAt(config, id);
  const chosen = threadAt(reader, id).project;
  const named = nameIn(grammar, caption, mine) ?? albums.of(album);
  const only = mine.length === 1 ? mine[0] : undefined;
  const usual = isMine(chosen ?? (others.length === 0 ? (here ?? null) : null)) ?? only;
  const project = named === null ? usual : isMine(named);
  if (project === undefined) return { why: 'send it again with the name of its project as the caption' };
  if (mayBring(by, project)) return project;
  return { why: notAllowedText(project, by ?? '', 'continue') };
}

/** The caption is a sentence, or only the name. */
function nameIn(grammar: Grammar, caption: string, projects: Config['projects']): string | null {
  const parsed = grammar.understand(caption, projects);
  if (parsed.project !== null) return parsed.project;
  const said = caption.trim().toLowerCase();
  const named = projects.find(({ name, aliases }) => [name, ...aliases].some((one) => one.toLowerCase() === said));
  return named?.name ?? null;
}

/** Security: wraps download steps, so that no error shows a token or address. */
export type Explained = <T>(act: () => Promise<T>) => Promise<T>;

/** `whyOf` must be free of tokens and addresses. */
export function explainedBy(whyOf: (error: unknown) => string): Explained {
  return async (act) => {
    try {
      return await act();
    } catch (error) {
      throw new BosunError('bad_input', `it could not be downloaded (${whyOf(error)}); send it again`);
    }
  };
}

export async function* chunksOf(body: AsyncIterable<Uint8Array>, explained: Explained): AsyncIterable<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await explained(() => chunks.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.().catch(() => undefined);
  }
}
