// Splits text into runs of one look: a card's heading, fenced code, and the rest.
import { isVisible } from './tidy.js';

export interface TextRun {
  readonly text: string;
  readonly look: 'plain' | 'bold' | 'code';
  /** The language of code, if its fence names one. */
  readonly language: string | null;
}

const fence = /^```([\w+#.-]{0,20})\s*$/;
/** A longer first line is no heading. */
const maxHeadingUnits = 200;

/** The runs' texts joined are the text without its code fences. */
export function runsOf(text: string, hasHeading: boolean): readonly TextRun[] {
  const lines = text.split('\n');
  const closings = lines.flatMap((line, index) => (/^```\s*$/.test(line) ? [index] : []));
  const runs: TextRun[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    while ((closings[0] ?? Number.POSITIVE_INFINITY) <= at) closings.shift();
    const end = fence.test(line) ? (closings[0] ?? null) : null;
    const inner = end === null ? '' : lines.slice(at + 1, end).join('\n');
    const isHeading = at === 0 && hasHeading && lines.length > 1 && line.length <= maxHeadingUnits;
    // An unclosed fence, or one around nothing, is plain text.
    const isCode = isVisible(inner);
    if (isCode) runs.push(code(inner, line));
    else runs.push({ text: line, look: isHeading ? 'bold' : 'plain', language: null });
    at = isCode && end !== null ? end + 1 : at + 1;
  }
  return joined(runs);
}

function code(text: string, opening: string): TextRun {
  const language = fence.exec(opening)?.[1] ?? '';
  return { text, look: 'code', language: language === '' ? null : language };
}

/** The line breaks between runs go into the plain ones. */
function joined(runs: readonly TextRun[]): readonly TextRun[] {
  const out: TextRun[] = [];
  const add = (text: string) => {
    const last = out.at(-1);
    if (last?.look === 'plain') out[out.length - 1] = { ...last, text: last.text + text };
    else if (text !== '') out.push({ text, look: 'plain', language: null });
  };
  runs.forEach((run, index) => {
    if (index > 0) add('\n');
    if (run.look === 'plain') add(run.text);
    else out.push(run);
  });
  return out;
}
