// What a call came with: JSON, a form or a multipart form, where every value may be text.
import type { IncomingMessage } from 'node:http';
import { badRequest, refuse } from './refusal.js';

export interface Upload {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Params {
  readonly values: Readonly<Record<string, unknown>>;
  readonly uploads: ReadonlyMap<string, Upload>;
}

/** The platform takes files up to 50 MB from a bot. */
export const maxUploadBytes = 50 * 1024 * 1024;
const maxBodyBytes = maxUploadBytes + 1024 * 1024;

export async function readParams(request: IncomingMessage, query: URLSearchParams): Promise<Params> {
  const body = await readBody(request);
  const type = request.headers['content-type'] ?? '';
  const asked = Object.fromEntries(query);
  const boundary = /^multipart\/form-data.*boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (boundary !== undefined) return readMultipart(body, boundary, asked);
  if (!/json/i.test(type)) {
    return { values: { ...asked, ...Object.fromEntries(new URLSearchParams(body.toString())) }, uploads: new Map() };
  }
  try {
    const parsed: unknown = body.length === 0 ? {} : JSON.parse(body.toString());
    if (isRecord(parsed)) return { values: { ...asked, ...parsed }, uploads: new Map() };
  } catch (error) {
    throw badRequest(`can't parse request JSON: ${String(error)}`);
  }
  throw badRequest('object expected as request JSON');
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > maxBodyBytes) throw refuse(413, 'Request Entity Too Large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function readMultipart(body: Buffer, boundary: string, asked: Readonly<Record<string, string>>): Params {
  const values: Record<string, unknown> = { ...asked };
  const uploads = new Map<string, Upload>();
  const mark = Buffer.from(`--${boundary}`);
  let from = body.indexOf(mark);
  while (from >= 0) {
    const start = from + mark.length + 2;
    const next = body.indexOf(mark, start);
    if (next < 0) break;
    const part = body.subarray(start, next - 2);
    const head = part.subarray(0, part.indexOf('\r\n\r\n')).toString();
    const content = part.subarray(head === '' ? 0 : part.indexOf('\r\n\r\n') + 4);
    const name = /[;\s]name="?([^";\r\n]+)"?/i.exec(head)?.[1] ?? '';
    const file = /filename="?([^";\r\n]*)"?/i.exec(head)?.[1];
    if (file === undefined) values[name] = content.toString();
    else uploads.set(name, { name: file, bytes: Buffer.from(content) });
    from = next;
  }
  return { values, uploads };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf({ values }: Params, key: string): string {
  const value = values[key];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export function numberOf({ values }: Params, key: string): number | null {
  const value = values[key];
  if (value === undefined || value === null || value === '') return null;
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw badRequest(`wrong parameter ${key} in request`);
  return number;
}

export function flagOf({ values }: Params, key: string): boolean {
  const value = values[key];
  return value === true || value === 1 || /^(true|yes|1)$/i.test(String(value ?? ''));
}

/** An object or a list, which a form holds as JSON. */
export function partOf({ values }: Params, key: string): unknown {
  const value = values[key];
  if (typeof value !== 'string') return value ?? null;
  if (value === '') return null;
  try {
    return JSON.parse(value);
  } catch {
    throw badRequest(`can't parse ${key} JSON object`);
  }
}
