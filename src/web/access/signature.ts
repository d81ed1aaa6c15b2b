// `X-Bosun-Signature: t=<unix seconds>,v1=<hex hmac-sha256 of "t.body">`, keyed with the project's hook secret.
import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../base/index.js';

export const signatureWindowMs = 5 * 60_000;

export interface Signed {
  readonly header: string;
  readonly body: Buffer;
  readonly secret: string;
  readonly now: number;
}

export function isSignatureGood({ header, body, secret, now }: Signed): boolean {
  const [, seconds, mac] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (seconds === undefined || mac === undefined || secret === '') return false;
  if (Math.abs(now - Number(seconds) * 1000) > signatureWindowMs) return false;
  const wanted = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return isSameSecret(mac, wanted);
}
