// Codes that people read to each other and type.
import { randomInt } from 'node:crypto';

/** Nothing that one letter could be taken for another in. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

export function drawCode(): string {
  const draw = () => Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('');
  return `${draw()}-${draw()}`;
}

/** Small letters and forgotten dashes are forgiven. */
export function isSameCode(one: string, other: string): boolean {
  const plain = (code: string) => code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return plain(one) === plain(other);
}

/** Nothing but what could be a code, written as it is shown. */
export function isCodeShaped(text: string): boolean {
  return codeShape.test(text);
}

const codeShape = new RegExp(`^[${letters}]{4}-[${letters}]{4}$`);
