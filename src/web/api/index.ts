// The API: its routes, put up one by one, and the document that tells of them.
import type { Hono } from 'hono';
import { z } from 'zod';
import type { Env } from '../context/web-context.js';
import { notAccepted } from './accept.js';
import { attemptRoutes } from './attempts.js';
import { saidRoutes } from './chat-routes.js';
import { apiDocument } from './document.js';
import { projectRoutes } from './projects.js';
import { type Route, reading } from './route.js';
import { runRoutes } from './runs.js';
import { workRoutes } from './work.js';

export { apiDocument } from './document.js';
export { notThere } from './not-there.js';
export type { Route } from './route.js';

const documentRoute = reading({
  path: '/api/openapi.json',
  summary: 'This document',
  answer: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
  example: { openapi: '3.1.0', paths: {} },
  revision: ({ site }) => `document.${site.version}`,
  read: ({ site }) => documentOf(site.version),
});

export const apiRoutes: readonly Route[] = [
  documentRoute,
  ...projectRoutes,
  ...runRoutes,
  ...attemptRoutes,
  ...workRoutes,
  ...saidRoutes,
];

export function putUpApi(app: Hono<Env>): void {
  for (const { method, path, answer, handle } of apiRoutes) {
    // Before anything is done: what cannot be told should not happen.
    app[method](path, (c) => notAccepted(c.req.header('accept'), answer.type) ?? handle(c, c.var.site));
  }
}

/** The same for as long as the process lives. */
const made = new Map<string, Record<string, unknown>>();

function documentOf(version: string) {
  const known = made.get(version) ?? { ...apiDocument(apiRoutes, version) };
  made.set(version, known);
  return { openapi: '3.1.0', paths: {}, ...known };
}
