// An HMAC of the attempt id with the home's secret: not stored, not guessable.
import { createHmac, timingSafeEqual } from 'node:crypto';

export function attemptToken(secret: string, attemptId: string): string {
  return createHmac('sha256', secret).update(attemptId).digest('hex');
}

export function isTokenOf(secret: string, attemptId: string, token: string): boolean {
  const wanted = Buffer.from(attemptToken(secret, attemptId));
  const given = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
