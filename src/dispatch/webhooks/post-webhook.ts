// Posts once, without redirects; only the status counts.
import { createHmac } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { WebhookResponse } from './delivery-verdict.js';

export interface Posted {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const maxAnswerBytes = 64 * 1024;

/** Never rejects. */
export function post({ url, body, headers, timeoutMs, signal }: Posted): Promise<WebhookResponse> {
  return new Promise((resolve) => {
    const failed = (problem: string) => resolve({ status: null, retryAfter: null, problem });
    const limit = AbortSignal.timeout(timeoutMs);
    const onError = (error: Error & { readonly code?: string }) =>
      failed(limit.aborted ? `no answer within ${timeoutMs / 1000} s` : (error.code ?? 'the connection failed'));
    try {
      const request = url.startsWith('https:') ? requestHttps : requestHttp;
      const options = { method: 'POST', headers, agent: false, signal: AbortSignal.any([limit, signal]) };
      const sent = request(url, options, (response) => void take(response).then(resolve));
      sent.on('error', onError);
      sent.end(body);
    } catch {
      // Security: an address may hold a credential.
      failed('the address is not usable');
    }
  });
}

/** Drains a short response, so that the receiver can finish. */
function take(response: IncomingMessage): Promise<WebhookResponse> {
  const answer = {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'] ?? null,
    problem: null,
  };
  return new Promise((resolve) => {
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > maxAnswerBytes) response.destroy();
    });
    response.on('error', () => resolve(answer));
    response.on('close', () => resolve(answer));
  });
}

/** `t=<unix seconds>,v1=<hmac-sha256 of "t.body" in hex>`, as for received hooks. */
export function signatureOf(secret: string, body: string, at: number): string {
  const seconds = Math.floor(at / 1000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}
