import { z } from 'zod';
import { titleOf } from '../http/problem.js';
import type { ApiRoute } from './route.js';
import { named } from './shapes.js';

type Json = Readonly<Record<string, unknown>>;

/** Any route may answer with these. */
const always = [400, 401, 403, 405, 406, 429, 500];
const refBase = '#/components/schemas/';

export function apiDocument(routes: readonly ApiRoute[], version: string): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = documented(route.path);
    paths[path] = { ...paths[path], [route.method]: operationOf(route, registry) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bosun',
      version,
      description: 'Lists are {"items", "next"}. Every GET route supports HEAD. Keys may be added to responses.',
    },
    security: [{ token: [] }, { session: [], pageKey: [] }],
    paths,
    components: {
      schemas: componentsOf(registry),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token in the file BOSUN_HOME/token.' },
        session: { type: 'apiKey', in: 'cookie', name: 'bosun_{port}', description: 'Set by a link that logs in.' },
        pageKey: {
          ...{ type: 'apiKey', in: 'header', name: 'X-Bosun-Key' },
          description: 'The key that a page got at login; required with the session for every change.',
        },
      },
    },
  };
}

/** OpenAPI spells it `/api/runs/{run}`. */
export function documented(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

type Registry = ReturnType<typeof z.registry<{ id: string }>>;

function operationOf(route: ApiRoute, registry: Registry): Json {
  const { type, schema, example } = route.answer;
  const content = {
    [type]: { schema: schemaOf(schema, registry, 'output'), ...(example !== undefined && { example }) },
  };
  const headers = route.hasTag ? { headers: { ETag: { schema: { type: 'string' } } } } : {};
  const fails = [...new Set([...always, ...route.fails])].sort((a, b) => a - b);
  return {
    operationId: operationId(route),
    summary: route.summary,
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...(route.body && { requestBody: bodyOf(route.body, registry) }),
    responses: {
      200: { description: 'OK', ...headers, content },
      ...(route.hasTag && { 304: { description: 'Not modified' } }),
      ...Object.fromEntries(fails.map((status) => [status, failure(status)])),
    },
  };
}

function operationId({ method, path }: ApiRoute): string {
  const words = path.replace('/api/', '').split(/[/.-]/);
  return [method, ...words.map((one) => one.replace(/^:/, 'by '))]
    .join(' ')
    .replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());
}

function bodyOf({ schema, example }: NonNullable<ApiRoute['body']>, registry: Registry): Json {
  return { required: true, content: { 'application/json': { schema: schemaOf(schema, registry, 'input'), example } } };
}

function failure(status: number): Json {
  const headers = status === 405 ? { headers: { Allow: { schema: { type: 'string' } } } } : {};
  const schema = { $ref: `${refBase}Problem` };
  return { description: titleOf(status), ...headers, content: { 'application/problem+json': { schema } } };
}

function pathParameters({ path }: ApiRoute): readonly Json[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameters({ query }: ApiRoute): readonly Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function headerParameters({ headers = {}, hasTag }: ApiRoute): readonly Json[] {
  const all = {
    ...headers,
    ...(hasTag && { 'If-None-Match': 'A known ETag: returns 304 if nothing has changed.' }),
  };
  return Object.entries(all).map(([name, description]) => {
    return { name, in: 'header', required: false, description, schema: { type: 'string' } };
  });
}

function schemaOf(schema: z.ZodType, shared: Registry, io: 'input' | 'output'): Json {
  const own = z.registry<{ id: string }>();
  for (const one of Object.values(named)) own.add(one, { id: shared.get(one)?.id ?? '' });
  const name = shared.get(schema)?.id;
  if (name !== undefined) return { $ref: `${refBase}${name}` };
  own.add(schema, { id: 'it' });
  return bare(z.toJSONSchema(own, { uri, io, unrepresentable: 'any' }).schemas['it'] ?? {});
}

function componentsOf(registry: Registry): Json {
  const { schemas } = z.toJSONSchema(registry, { uri, io: 'output' });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bare(schema)]));
}

function uri(name: string): string {
  return `${refBase}${name}`;
}

/** The document declares `$schema` and `$id`. */
function bare({ $schema: _, $id: __, ...schema }: Json): Json {
  return schema;
}
