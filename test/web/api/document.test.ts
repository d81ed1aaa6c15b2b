import { describe, expect, it } from 'vitest';
import { apiDocument, apiRoutes } from '../../../src/web/api/index.js';
import { webApp } from '../../../src/web/app.js';
import type { WebContext } from '../../../src/web/context/web-context.js';
import { type ApiDocument, mismatch, wrongWith } from '../contract.js';
import { given } from '../given.js';

const document = apiDocument(apiRoutes, '1.2.3') as unknown as ApiDocument;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation, name: `${method} ${path}` })),
);

describe('the OpenAPI document', () => {
  it('has every route that the server answers under /api, and no other', () => {
    // Nothing of it is touched before a request comes.
    const routes = webApp({} as WebContext, () => ({ p50Seconds: 0, p99Seconds: 0, maxSeconds: 0 })).routes;
    const served = routes
      .filter(({ path, method }) => path.startsWith('/api') && method !== 'ALL')
      .map(({ path, method }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect(served.length).toBeGreaterThan(15);
    expect(operations.map(({ name }) => name).sort()).toEqual(served.sort());
  });

  it.each(operations)(
    'describes the parameters and responses of $name, with valid examples',
    ({ path, method, operation }) => {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(inPath);
      for (const { schema } of operation.parameters) expect(Object.keys(schema)).not.toHaveLength(0);
      for (const status of ['200', '400', '401', '403', '405', '500'])
        expect(operation.responses).toHaveProperty([status]);
      if (inPath.length > 0) expect(operation.responses).toHaveProperty(['404']);
      if (method === 'post' && !path.endsWith('login-links')) expect(operation.requestBody).toBeDefined();
      const bodies = [operation.requestBody, operation.responses['200']];
      const examples = bodies.flatMap((body) => Object.entries(body?.content ?? {}));
      for (const [type, { schema, example }] of examples) {
        expect(example).toBeDefined();
        expect(mismatch(`${method} ${path} ${type} ${JSON.stringify(schema).length}`, schema, example)).toBe(null);
      }
    },
  );

  it('gives each operation a unique id', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('getRunsByRunEvents');
  });

  it('has no dangling reference', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? '');
    expect(refs.length).toBeGreaterThan(20);
    for (const ref of new Set(refs)) {
      expect(document.components.schemas).toHaveProperty([ref.replace('#/components/schemas/', '')]);
    }
  });

  it('describes the limits of a list parameter', () => {
    const limit = document.paths['/api/runs']?.['get']?.parameters.find(({ name }) => name === 'limit');
    expect(limit).toMatchObject({ in: 'query', schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 } });
  });

  it('is served unchanged, and only with the token', async () => {
    const { get, call } = await given();
    const reply = await get('/api/openapi.json');
    expect(reply.json()).toEqual(JSON.parse(JSON.stringify(document)));
    expect((await call('/api/openapi.json')).status).toBe(401);
  });
});

describe('the response check of the tests', () => {
  const answer = (status: number, value: unknown, type = 'application/json') => ({
    ...{ status, type, text: JSON.stringify(value) },
  });

  it('accepts a matching response', () => {
    expect(wrongWith('GET', '/api/inbox?limit=1', answer(200, { items: [], next: null }))).toBe(null);
    expect(wrongWith('GET', '/', answer(200, 'anything'))).toBe(null);
  });

  it.each([
    ['a key that is missing', 'GET', '/api/inbox', answer(200, { items: [] })],
    ['a key too many', 'GET', '/api/inbox', answer(200, { items: [], next: null, more: 1 })],
    ['a value of another kind', 'GET', '/api/inbox', answer(200, { items: [{ id: 1 }], next: null })],
    ['an unknown word', 'GET', '/api/workflows', answer(200, { items: [{ id: 'x', origin: 'moon' }], next: null })],
    ['an unknown status', 'GET', '/api/inbox', answer(418, {})],
    ['an unknown type', 'GET', '/api/inbox', answer(200, {}, 'text/plain')],
    ['a problem that is none', 'GET', '/api/runs/r1', answer(404, { error: 'x' }, 'application/problem+json')],
    ['a way that is not in it', 'GET', '/api/secret', answer(200, {})],
  ])('refuses %s', (_, method, path, reply) => {
    expect(wrongWith(method, path, reply)).not.toBe(null);
  });
});
