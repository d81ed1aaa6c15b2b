import type { Hono } from 'hono';
import { z } from 'zod';
import type { Env } from '../context/web-context.js';
import { problem } from '../http/problem.js';
import { attemptRoutes } from './attempts.js';
import { saidRoutes } from './chat-routes.js';
import { apiDocument } from './document.js';
import { projectRoutes } from './projects.js';
import { type ApiRoute, reading } from './route.js';
import { runRoutes } from './runs.js';
import { workRoutes } from './work.js';

export { apiDocument } from './document.js';
export { notThere } from './not-there.js';
export type { ApiRoute } from './route.js';

const documentRoute = reading({
  path: '/api/openapi.json',
  summary: 'This document',
  answer: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
  example: { openapi: '3.1.0', paths: {} },
  revision: ({ web }) => `document.${web.version}`,
  read: ({ web }) => documentOf(web.version),
});

export const apiRoutes: readonly ApiRoute[] = [
  documentRoute,
  ...projectRoutes,
  ...runRoutes,
  ...attemptRoutes,
  ...workRoutes,
  ...saidRoutes,
];

export function putUpApi(app: Hono<Env>): void {
  for (const { method, path, answer, handle } of apiRoutes) {
    // Before the handler: no action without an acceptable response.
    app[method](path, (c) => notAccepted(c.req.header('accept'), answer.type) ?? handle(c, c.var.web));
  }
}

const made = new Map<string, Record<string, unknown>>();

function documentOf(version: string) {
  const known = made.get(version) ?? { ...apiDocument(apiRoutes, version) };
  made.set(version, known);
  return { openapi: '3.1.0', paths: {}, ...known };
}

const maxAcceptChars = 2_000;

/** 406 if the client does not accept the type. A missing header accepts everything. */
export function notAccepted(accept: string | undefined, type: string): Response | null {
  if (accept === undefined || accept.trim() === '') return null;
  if (accept.length > maxAcceptChars || takes(accept, type)) return null;
  return problem(
    406,
    'bad_input',
    `This route only returns ${type}`,
    `Accept that type, or leave out the Accept header.`,
  );
}

/** The most specific range wins. */
function takes(accept: string, type: string): boolean {
  const ranges = new Map(accept.split(',').map(rangeOf));
  const [main = ''] = type.split('/');
  for (const range of [type, `${main}/*`, '*/*']) {
    const weight = ranges.get(range);
    if (weight !== undefined) return weight > 0;
  }
  return false;
}

function rangeOf(part: string): readonly [string, number] {
  const [range = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
  const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
  return [range, weight === undefined ? 1 : Number(weight)];
}
