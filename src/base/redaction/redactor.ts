import { cutSecretRedactor } from './cut-secrets.js';
import { mark, withoutPatterns } from './patterns.js';
import { withoutPrivateKeys } from './private-keys.js';
import { spellingsOf } from './spellings.js';

export type Redact = (text: string) => string;

export const plain: Redact = (text) => text;

export function redactor(secrets: readonly string[]): Redact {
  const spellings = spellingsOf(secrets);
  const known = spellings.length === 0 ? null : new RegExp(spellings.map(escaped).join('|'), 'g');
  const withoutCut = cutSecretRedactor(spellings);
  return (text) => {
    if (text === '') return text;
    const bare = known === null ? text : withoutCut(withoutCutOff(text, spellings).replace(known, mark));
    return withoutPatterns(withoutPrivateKeys(bare));
  };
}

/** A cut line may end inside a secret. */
function withoutCutOff(text: string, spellings: readonly string[]): string {
  const cutAt = cutSign.exec(text)?.index ?? text.length;
  const told = cutAt === text.length ? text : withoutLast(text.slice(0, cutAt), spellings) + text.slice(cutAt);
  return withoutLast(told, spellings);
}

function withoutLast(text: string, spellings: readonly string[]): string {
  const from = Math.max(0, text.length - (spellings[0]?.length ?? 0));
  const end = text.slice(from);
  for (const spelling of spellings) {
    const at = cutOffAt(end, spelling);
    if (at !== null) return text.slice(0, from + at) + mark;
  }
  return text;
}

const cutSign = /…[^…\n]{0,80}$/;

function cutOffAt(end: string, spelling: string): number | null {
  const head = spelling.slice(0, leastHeadChars);
  let at = end.indexOf(head, Math.max(0, end.length - spelling.length));
  while (at >= 0 && !spelling.startsWith(end.slice(at))) at = end.indexOf(head, at + 1);
  return at < 0 ? null : at;
}

const leastHeadChars = 8;

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
