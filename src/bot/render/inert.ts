// Chat apps link `/word`, `@name` and addresses, mostly in other people's words: an invisible word joiner prevents it.
// Code stays exact.

import type { TextRun } from './runs.js';
import { joiner } from './word-joiner.js';

/** No top-level domains, so file names stay and copy. */
const fileEndings =
  'c?[jt]sx?|m[jt]s|json[lc]?|ya?ml|toml|txt|log|csv|xml|html?|s?css|sql|lock|diff|patch|env|ini|cfg|conf|pdf|png|jpe?g|svg|go|java|kts?|cpp|hpp|php|rb|lua|swift|vue|gradle|feature|tap|bak';

/** The joiner goes after group 1. */
const tappable: readonly RegExp[] = [
  /(:)(?=\/\/)/g,
  /(?<![\p{L}\p{N}_/<>])(\/)(?=[A-Za-z0-9_])/gu,
  /(@)(?=[\p{L}\p{N}_])/gu,
  new RegExp(`(?<=[\\p{L}\\p{N}_-])(\\.)(?=\\p{L}{2})(?!(?:${fileEndings})(?![\\p{L}\\p{N}-]))`, 'giu'),
];

export function inert(text: string): string {
  const words = tappable.reduce((out, found) => out.replace(found, `$1${joiner}`), text);
  return words.replace(ipAddress, (found) => found.replaceAll('.', `.${joiner}`));
}

const ipAddress = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)/g;

/**
 * Judges neighbours together, because `/` and a bold `start` are one command. Code stays exact, but text before inline
 * code is made inert.
 */
export function inertRuns(runs: readonly TextRun[]): readonly TextRun[] {
  const out: TextRun[] = [];
  for (let from = 0; from < runs.length; ) {
    const end = runs.findIndex(({ look }, index) => index >= from && look === 'code');
    const group = runs.slice(from, end < 0 ? runs.length : end);
    out.push(...inertGroup(group), ...(end < 0 ? [] : runs.slice(end, end + 1)));
    from = end < 0 ? runs.length : end + 1;
  }
  return out;
}

function inertGroup(group: readonly TextRun[]): readonly TextRun[] {
  const [only, ...others] = group;
  if (only !== undefined && others.length === 0 && only.look !== 'mono') return [{ ...only, text: inert(only.text) }];
  const before = group.map(({ text }) => text).join('');
  const after = inert(before);
  let [from, to] = [0, 0];
  return group.map((run) => {
    let text = '';
    for (const unit of run.text.split('')) {
      text += unit;
      from += 1;
      to += 1;
      if (after[to] !== joiner || before[from] === joiner) continue;
      to += 1;
      if (run.look !== 'mono') text += joiner;
    }
    return { ...run, text };
  });
}
