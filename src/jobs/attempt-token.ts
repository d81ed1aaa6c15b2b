// An HMAC of the attempt id with the home's secret: nothing is stored or guessable.
import { createHmac, timingSafeEqual } from 'node:crypto';

export function attemptToken(secret: string, attemptId: string): string {
  return createHmac('sha256', secret).update(attemptId).digest('hex');
}

/** Constant time. */
export function isTokenOf(secret: string, attemptId: string, token: string): boolean {
  const wanted = Buffer.from(attemptToken(secret, attemptId));
  const given = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
