import type { Context } from 'hono';
import type { z } from 'zod';
import type { Env, WebContext } from '../context/web-context.js';
import { noQuery, type QueryShape, queryOf } from '../http/query.js';

export interface AnswerDoc {
  readonly type: string;
  readonly schema: z.ZodType;
  readonly example?: unknown;
}

export interface BodyDoc {
  readonly schema: z.ZodType;
  readonly example: unknown;
  readonly isNeeded?: boolean;
}

export interface ApiRoute {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly summary: string;
  readonly query: QueryShape;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyDoc;
  readonly answer: AnswerDoc;
  readonly fails: readonly number[];
  readonly hasTag: boolean;
  readonly handle: (c: Context<Env>, web: WebContext) => Response | Promise<Response>;
}

export interface ApiRequest<Q> {
  readonly web: WebContext;
  readonly query: Q;
  readonly param: (name: string) => string;
  readonly signal: AbortSignal;
}

type Whether<T> = T | Response | Promise<T | Response>;

/** Deeply readonly, because results come from the store. */
type Given<T> = T extends (infer I)[]
  ? readonly Given<I>[]
  : T extends object
    ? { readonly [K in keyof T]: Given<T[K]> }
    : T;

export interface QueryReading<Q extends QueryShape, A extends z.ZodType> {
  readonly path: string;
  readonly summary: string;
  readonly query?: Q;
  readonly answer: A;
  readonly example: z.input<A>;
  readonly fails?: readonly number[];
  /** Cheap; changes whenever the response does. Null: unknown now. */
  readonly revision?: (request: ApiRequest<z.output<Q>>) => string | null;
  readonly read: (request: ApiRequest<z.output<Q>>) => Whether<Given<z.input<A>>>;
}

export function reading<A extends z.ZodType, Q extends QueryShape = typeof noQuery>(of: QueryReading<Q, A>): ApiRoute {
  const query = of.query ?? noQuery;
  return {
    method: 'get',
    path: of.path,
    summary: of.summary,
    query,
    answer: { type: 'application/json', schema: of.answer, example: of.example },
    fails: of.fails ?? [],
    hasTag: of.revision !== undefined,
    async handle(c, web) {
      const given = queryOf(c, query);
      if (given instanceof Response) return given;
      // `queryOf` has just parsed it.
      const data = given.data as z.output<Q>;
      const request = { web, query: data, param: (name: string) => c.req.param(name) ?? '', signal: c.req.raw.signal };
      const revision = of.revision?.(request) ?? null;
      const tag = revision === null ? null : web.tags.tagOf(web, revision);
      if (tag !== null && isKnown(tag, c.req.header('if-none-match'))) return unchanged(tag);
      const found = await of.read(request);
      if (found instanceof Response) return found;
      return Response.json(found, tag === null ? {} : { headers: { etag: tag } });
    },
  };
}

function unchanged(tag: string): Response {
  return new Response(null, { status: 304, headers: { etag: tag } });
}

function isKnown(tag: string, given: string | undefined): boolean {
  if (given === undefined) return false;
  const known = given.slice(0, maxTagChars).split(',');
  return known.some((one) => one.trim() === tag || one.trim() === '*');
}

const maxTagChars = 2_000;

// For ETags: every change of a run appends an event, so its newest number identifies the state.

/** For responses over all runs. */
export function ofAll({ web }: Pick<ApiRequest<unknown>, 'web'>): string {
  return String(web.services.runtime.reader.browsing.newestSeq());
}

/** Null while any attempt runs, because activity changes without an event. */
export function ofAllAtRest(request: Pick<ApiRequest<unknown>, 'web'>): string | null {
  const isAtWork = request.web.services.runtime.reader.counts.attempts().some(({ word }) => word === 'running');
  return isAtWork ? null : ofAll(request);
}

export function ofRun({ web, param }: Pick<ApiRequest<unknown>, 'web' | 'param'>): string | null {
  return newestOf(web, param('run'));
}

export function ofRunAtRest({ web, param }: Pick<ApiRequest<unknown>, 'web' | 'param'>): string | null {
  const isAtWork = (web.services.runtime.reader.run(param('run'))?.live.length ?? 0) > 0;
  return isAtWork ? null : newestOf(web, param('run'));
}

export function newestOf(web: WebContext, run: string): string | null {
  const [newest] = web.services.runtime.reader.newestEvents(run, 1);
  return newest === undefined ? null : `${run}.${newest.seq}`;
}
