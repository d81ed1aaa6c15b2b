// What a call came with: a form or JSON, where a form holds lists and objects as JSON.
import type { IncomingMessage } from 'node:http';
import { refuse, wrong } from './refusal.js';

export type Params = Readonly<Record<string, unknown>>;

const maxBodyBytes = 64 * 1024 * 1024;

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > maxBodyBytes) throw refuse('request_too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export async function readParams(request: IncomingMessage, query: URLSearchParams): Promise<Params> {
  const body = await readBody(request);
  const type = request.headers['content-type'] ?? '';
  const asked = Object.fromEntries(query);
  if (!/json/i.test(type)) return { ...asked, ...Object.fromEntries(new URLSearchParams(body.toString())) };
  const parsed = body.length === 0 ? {} : parseOr(body.toString(), 'invalid_json');
  if (!isRecord(parsed)) throw refuse('json_not_object');
  return { ...asked, ...parsed };
}

function parseOr(text: string, error: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse(error);
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Empty where there is none. */
export function textOf(params: Params, key: string): string {
  const value = params[key];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export function neededText(params: Params, key: string): string {
  const value = textOf(params, key);
  if (value === '') throw wrong('invalid_arguments', [`missing required field: ${key}`]);
  return value;
}

export function flagOf(params: Params, key: string, otherwise = false): boolean {
  const value = params[key];
  if (value === undefined || value === null || value === '') return otherwise;
  return value === true || /^(true|1)$/i.test(String(value));
}

export function numberOf(params: Params, key: string, otherwise: number): number {
  const value = params[key];
  if (value === undefined || value === null || value === '') return otherwise;
  const number = Number(value);
  if (!Number.isFinite(number)) throw wrong('invalid_arguments', [`must be a number [json-pointer:/${key}]`]);
  return number;
}

/** A list or an object; null where there is none. */
export function partOf(params: Params, key: string, error = 'invalid_arguments'): unknown {
  const value = params[key];
  if (typeof value !== 'string') return value ?? null;
  return value === '' ? null : parseOr(value, error);
}
