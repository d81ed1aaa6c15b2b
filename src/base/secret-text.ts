import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export function drawSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Constant time; hashing also hides the length. */
export function isSameSecret(given: string, wanted: string): boolean {
  return wanted !== '' && timingSafeEqual(Buffer.from(hashOf(given)), Buffer.from(hashOf(wanted)));
}
