// Chat apps turn `/word`, `@name`, addresses and domain names into links, and most of a message's words come from an
// agent, a CI or a file. An invisible word joiner keeps such text inert. Code needs none: apps link nothing in it, and
// copied code stays exact.

import type { TextRun } from './runs.js';
import { joiner } from './word-joiner.js';

/** File endings that are no top-level domains; such names stay unchanged, so that they can be copied. */
const fileEndings =
  'c?[jt]sx?|m[jt]s|json[lc]?|ya?ml|toml|txt|log|csv|xml|html?|s?css|sql|lock|diff|patch|env|ini|cfg|conf|pdf|png|jpe?g|svg|go|java|kts?|cpp|hpp|php|rb|lua|swift|vue|gradle|feature|tap|bak';

/** The joiner goes after the first group. */
const tappable: readonly RegExp[] = [
  /(:)(?=\/\/)/g,
  /(?<![\p{L}\p{N}_/<>])(\/)(?=[A-Za-z0-9_])/gu,
  /(@)(?=[\p{L}\p{N}_])/gu,
  new RegExp(`(?<=[\\p{L}\\p{N}_-])(\\.)(?=\\p{L}{2})(?!(?:${fileEndings})(?![\\p{L}\\p{N}-]))`, 'giu'),
];

/** Idempotent. */
export function inert(text: string): string {
  const words = tappable.reduce((out, found) => out.replace(found, `$1${joiner}`), text);
  return words.replace(ipAddress, (found) => found.replaceAll('.', `.${joiner}`));
}

const ipAddress = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)/g;

export function inertRuns(runs: readonly TextRun[]): readonly TextRun[] {
  return runs.map((run) => (run.look === 'code' ? run : { ...run, text: inert(run.text) }));
}
