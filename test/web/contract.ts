// Holds what the API answers against the document that it serves: each reply that a test gets is looked at.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { apiDocument, apiRoutes } from '../../src/web/api/index.js';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>;

export interface ApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const document = apiDocument(apiRoutes, '1.2.3') as unknown as ApiDocument;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'bosun:', components: document.components });
const compiled = new Map<string, ValidateFunction>();

/** What is wrong with an answer; null: it is as the document says. */
export function wrongWith(method: string, path: string, answer: Answer): string | null {
  const [plain = ''] = path.split('?');
  if (!plain.startsWith('/api/')) return null;
  const where = `${method} ${plain} → ${answer.status}`;
  const found = Object.entries(document.paths).find(([template]) => fits(template, plain));
  const operation = found?.[1][method === 'HEAD' ? 'get' : method.toLowerCase()];
  // Of what is not there, there is only a problem to tell.
  const response = operation ? operation.responses[answer.status] : problemOnly(answer.status);
  if (response === undefined) return `${where}: the document knows no such answer`;
  if (answer.status === 304 || method === 'HEAD') return answer.text === '' ? null : `${where}: it has a body`;
  const [type = ''] = answer.type.split(';');
  const content = response.content?.[type];
  if (content === undefined) return `${where}: the document knows no ${type}`;
  const value = type.endsWith('json') && type !== 'application/x-ndjson' ? JSON.parse(answer.text) : answer.text;
  const problems = mismatch(`${where} ${found?.[0]} ${type}`, content.schema, value);
  return problems === null ? null : `${where}: ${problems}`;
}

/** Why a value does not fit a schema of the document. */
export function mismatch(name: string, schema: object, value: unknown): string | null {
  const check = compiled.get(name) ?? ajv.compile(rooted(schema));
  compiled.set(name, check);
  return check(value) ? null : ajv.errorsText(check.errors);
}

function problemOnly(status: number): { readonly content: Content } | undefined {
  if (![401, 403, 404, 405, 429].includes(status)) return undefined;
  return { content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } };
}

/** References of the document lead into it. */
function rooted(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"bosun:#/components'));
}

function fits(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
}
