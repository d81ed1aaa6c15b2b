// An attempt's token is derived from its id with the home's secret: nothing to store, and nobody can guess it.
import { createHmac, timingSafeEqual } from 'node:crypto';

export function attemptToken(secret: string, attemptId: string): string {
  return createHmac('sha256', secret).update(attemptId).digest('hex');
}

/** Whether the token is this attempt's; takes as long for a near miss as for a far one. */
export function isTokenOf(secret: string, attemptId: string, token: string): boolean {
  const wanted = Buffer.from(attemptToken(secret, attemptId));
  const given = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
