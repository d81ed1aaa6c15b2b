// Bosun's own words stay unchanged, agents' are read as Markdown.
import { runsOf, type TextRun } from '../runs.js';
import { tidy } from '../tidy.js';
import { markdownRuns } from './markdown-runs.js';

/** `written`: in text order; a part that is not found stays as it is. */
export function runsWithMarkdown(
  text: string,
  hasHeading: boolean,
  written: readonly string[] = [],
): readonly TextRun[] {
  const runs: TextRun[] = [];
  let rest = text;
  for (const part of written) {
    const shown = tidy(part).trim();
    const at = shown === '' ? -1 : rest.indexOf(shown);
    if (at < 0) continue;
    const before = rest.slice(0, at);
    if (before !== '') runs.push(...runsOf(before, hasHeading && runs.length === 0));
    runs.push(...markdownRuns(shown));
    rest = rest.slice(at + shown.length);
  }
  if (rest !== '') runs.push(...runsOf(rest, hasHeading && runs.length === 0));
  return runs;
}
