import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export function drawSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is kept of a secret that another one holds. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Takes as long for a near miss as for a far one, and for a short one as for a long one. */
export function isSameSecret(given: string, wanted: string): boolean {
  return wanted !== '' && timingSafeEqual(Buffer.from(hashOf(given)), Buffer.from(hashOf(wanted)));
}
