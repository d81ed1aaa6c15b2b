import type { z } from 'zod';
import { problem } from './problem.js';

export async function readBody(request: Request, maxBytes: number): Promise<Buffer | Response> {
  const tooLarge = () => problem(413, 'bad_input', `The body is too large: the limit is ${maxBytes} bytes`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return tooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function parseJson<T extends z.ZodType>(body: Buffer, schema: T): { readonly data: z.output<T> } | Response {
  const read = jsonOf(body);
  return read instanceof Response ? read : fitting(read.data, schema);
}

export function jsonOf(body: Buffer): { readonly data: unknown } | Response {
  try {
    return { data: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch (error) {
    return problem(400, 'bad_input', `The body is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

export function fitting<T extends z.ZodType>(data: unknown, schema: T): { readonly data: z.output<T> } | Response {
  const read = schema.safeParse(data);
  if (read.success) return { data: read.data };
  const [issue] = read.error.issues;
  return problem(
    400,
    'bad_input',
    issue ? `${issue.path.join('.') || 'the body'}: ${issue.message}` : 'The value is not valid',
  );
}
