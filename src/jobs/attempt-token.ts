// An attempt's token is an HMAC of its id with the home's secret, so nothing is stored and nothing can be guessed.
import { createHmac, timingSafeEqual } from 'node:crypto';

export function attemptToken(secret: string, attemptId: string): string {
  return createHmac('sha256', secret).update(attemptId).digest('hex');
}

/** Compares in constant time. */
export function isTokenOf(secret: string, attemptId: string, token: string): boolean {
  const wanted = Buffer.from(attemptToken(secret, attemptId));
  const given = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
