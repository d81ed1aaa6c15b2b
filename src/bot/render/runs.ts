import { type ShownTime, timesIn } from '../../base/index.js';
import type { Mention } from '../../store/index.js';
import { isVisible } from './tidy.js';

export interface TextRun {
  readonly text: string;
  readonly look: 'plain' | 'bold' | 'italic' | 'strike' | 'mono' | 'code';
  readonly language: string | null;
  readonly account?: string;
  readonly time?: ShownTime;
}

const fence = /^```([\w+#.-]{0,20})\s*$/;
/** A longer first line is no heading. */
const maxHeadingUnits = 200;

/** Joined they are the text without fences. */
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

/** Line breaks go into plain runs. */
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

/** Only after the second line's last ` · for `, which is Bosun's own: no other words become mentions. */
export function mentioned(runs: readonly TextRun[], mentions: readonly Mention[]): readonly TextRun[] {
  let rest = mentions;
  let lineNumber = 1;
  return runs.flatMap((run) => {
    const lines = run.text.split('\n');
    const second = 2 - lineNumber;
    lineNumber += lines.length - 1;
    const line = lines[second];
    const names = line?.lastIndexOf(waitsFor) ?? -1;
    if (rest.length === 0 || run.look !== 'plain' || second < 0 || line === undefined || names < 0) return [run];
    const start = lines.slice(0, second).join('\n').length + (second > 0 ? 1 : 0) + names + waitsFor.length;
    const out: TextRun[] = [];
    let from = 0;
    for (const { name, account } of rest) {
      const at = run.text.indexOf(name, Math.max(from, start));
      if (at < 0 || at >= start + line.length - names - waitsFor.length) continue;
      out.push({ ...run, text: run.text.slice(from, at) }, { ...run, text: name, account });
      from = at + name.length;
    }
    rest = [];
    return [...out, { ...run, text: run.text.slice(from) }];
  });
}

/** A time becomes a run of its own. Code stays exact. */
export function timed(runs: readonly TextRun[], times: readonly ShownTime[] = []): readonly TextRun[] {
  let rest = times;
  return runs.flatMap((run) => {
    if (rest.length === 0 || run.look === 'mono' || run.look === 'code') return [run];
    const out: TextRun[] = [];
    let from = 0;
    for (const { index, time } of timesIn(run.text, rest)) {
      out.push({ ...run, text: run.text.slice(from, index) }, { ...run, text: time.text, time });
      from = index + time.text.length;
      rest = rest.slice(rest.indexOf(time) + 1);
    }
    return [...out, { ...run, text: run.text.slice(from) }].filter(({ text }) => text !== '');
  });
}

export const waitsFor = ' · for ';
