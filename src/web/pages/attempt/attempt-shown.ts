// Reads only the chosen tab.
import type { Context } from 'hono';
import { projectNamed } from '../../../config/index.js';
import { type Changes, changesOf } from '../../../dispatch/index.js';
import { type Envelope, renderPrompt, runsAgent } from '../../../engine/index.js';
import type { AttemptRow, HistoryReader, HomeReader, Spine } from '../../../store/index.js';
import { type Env, inSlot, type WebContext } from '../../context/web-context.js';
import { envelopeOf, logPlaceOf } from '../../http/attempt-record.js';
import { problem } from '../../http/problem.js';
import type { Freshness } from '../shared/layout.js';
import { maxReplayed, replayed } from '../shared/replay.js';
import type { LogFilter } from './log-entries.js';
import { type LogEnd, longTailBytes, readLogPart, streamLog, tailBytes } from './log-file.js';

export type Show = 'log' | 'prompt' | 'diff' | 'report' | 'compare';

export interface AttemptShown {
  readonly row: AttemptRow;
  readonly spine: Spine;
  readonly step: string;
  readonly show: Show;
  readonly isMore: boolean;
  readonly find: string;
  readonly only: LogFilter;
  /** Shows only lines with the searched words. */
  readonly isOnlyHits: boolean;
  readonly line: number | null;
  readonly others: readonly AttemptRow[];
  readonly log: LogEnd | null;
  readonly prompt: string | null;
  readonly changes: Changes | null;
  readonly envelope: Envelope | null;
  readonly compared: Compared | null;
}

/** An attempt and the one before it, or the first two. */
export interface Compared {
  /** Index of the first one. */
  readonly first: number;
  readonly sides: readonly ComparedSide[];
}

export interface ComparedSide {
  readonly attempt: AttemptRow['attempt'];
  readonly lastWords: string;
}

interface AttemptWanted {
  readonly run: string;
  readonly attempt: string;
  readonly show: Show;
  readonly isMore: boolean;
  /** '': all. */
  readonly find: string;
  readonly only: LogFilter;
  readonly isOnlyHits: boolean;
  /** Null: the end of the log. */
  readonly line: number | null;
}

export async function attemptShown(web: WebContext, wanted: AttemptWanted): Promise<AttemptShown | null> {
  const { services } = web;
  const { reader } = services.runtime;
  const { show, isMore, find, only, isOnlyHits, line } = wanted;
  const bytes = isMore ? longTailBytes : tailBytes;
  const row = reader.attempt(wanted.attempt);
  const spine = row?.run === wanted.run ? reader.spine(row.run) : null;
  if (!row || !spine) return null;
  const step = reader.browsing.nodeName(row.run, row.node) ?? row.node;
  const project = projectNamed(services.config(), spine.run.project);
  const others = reader.attempts(row.run, row.node);
  return {
    ...{ row, spine, step, show, isMore, find, only, isOnlyHits, line },
    others,
    compared: show === 'compare' ? comparedOf(reader, others, row) : null,
    log: show === 'log' ? await readLogPart(logPlaceOf(web, row), { bytes, line }) : null,
    prompt: show === 'prompt' ? await inSlot(web, () => promptOf(reader, spine, row)) : null,
    changes: show === 'diff' && project ? await inSlot(web, () => changesOf(reader, spine, project, row)) : null,
    envelope: show === 'report' ? envelopeOf(reader, row) : null,
  };
}

function comparedOf(
  reader: Pick<HomeReader, 'browsing'>,
  others: readonly AttemptRow[],
  { attempt: { id } }: AttemptRow,
): Compared | null {
  const first = Math.max(0, others.findIndex(({ attempt }) => attempt.id === id) - 1);
  const pair = others.slice(first, first + 2);
  if (pair.length < 2) return null;
  const lastWords = (row: AttemptRow) => envelopeOf(reader, row)?.output.tail.trimEnd().split('\n').at(-1) ?? '';
  return { first, sides: pair.map((row) => ({ attempt: row.attempt, lastWords: lastWords(row) })) };
}

/** Prompts are not stored, but rebuilt by replay. */
async function promptOf(
  reader: HistoryReader & Pick<HomeReader, 'browsing' | 'homeId' | 'path'>,
  { run, workflow }: Spine,
  row: AttemptRow,
): Promise<string | null> {
  const { id } = row.attempt;
  const count = Math.min(maxReplayed, reader.browsing.countEvents(run.id));
  const { world } = await replayed({
    ...{ reader, run: run.id, workflow, count },
    until: ({ chains }) => chains.get(row.chain)?.nodes.some(({ live }) => live?.id === id) ?? false,
  });
  const chain = world.chains.get(row.chain);
  const node = chain?.nodes.find(({ live }) => live?.id === id);
  if (world.state === null || !chain || !node) return null;
  return runsAgent(node) ? renderPrompt({ ...world.state, chain }, node.id).text : '';
}

export async function sendLog(c: Context<Env>, web: WebContext): Promise<Response> {
  const { reader } = web.services.runtime;
  const row = reader.attempt((c.req.param('attempt') ?? '').slice(0, 200));
  const stream = row && row.run === c.req.param('run') ? await streamLog(logPlaceOf(web, row)) : null;
  if (!row || stream === null)
    return problem(
      404,
      'not_found',
      'There is no log of this attempt',
      'The attempt may not have started yet, or its log was deleted.',
    );
  const name = `${row.attempt.id.replace(/[^\w.-]+/g, '-')}.jsonl`;
  const headers = {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
  };
  if (c.req.method === 'HEAD') {
    // A HEAD response needs no body: close now.
    await stream.cancel();
    return new Response(null, { headers });
  }
  return new Response(stream, { headers });
}

/** A finished attempt never changes; a running diff or long log is expensive. */
export function freshnessOf({ row, show, isMore, line }: AttemptShown): Freshness {
  const isDear = show === 'diff' || isMore || line !== null;
  if (show === 'prompt' || (isDear && row.attempt.endedAt !== null)) return 'still';
  return isDear ? 'slow' : 'quick';
}
