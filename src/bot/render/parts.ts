// Each part fits a message or block. Breaks lie outside code if possible, never in a grapheme.
import { graphemesFit } from './graphemes.js';
import type { TextRun } from './runs.js';
import { isVisible } from './tidy.js';

export type TextRuns = readonly TextRun[];

export function partsOf(runs: TextRuns, maxUnits: number): readonly TextRuns[] {
  const parts: TextRun[][] = [[]];
  for (const run of runs) {
    const room = maxUnits - unitsOf(parts.at(-1) ?? []);
    const isWhole = run.look !== 'plain' && run.text.length > room;
    if (isWhole || room <= 0) parts.push([]);
    for (const [index, text] of pieces(run.text, isWhole || room <= 0 ? maxUnits : room, maxUnits).entries()) {
      if (index > 0) parts.push([]);
      parts.at(-1)?.push({ ...run, text });
    }
  }
  return withoutInvisible(parts.filter((part) => unitsOf(part) > 0));
}

export function textOf(runs: TextRuns): string {
  return runs.map((run) => run.text).join('');
}

function unitsOf(runs: TextRuns): number {
  return runs.reduce((sum, run) => sum + run.text.length, 0);
}

function pieces(text: string, firstRoom: number, maxUnits: number): readonly string[] {
  const out: string[] = [];
  let rest = text;
  // At least one character per turn.
  for (let room = firstRoom; rest.length > room; room = maxUnits) {
    const end = breakIn(rest, room, maxUnits);
    if (end > 0 || room < maxUnits) out.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...out, rest];
}

function breakIn(text: string, room: number, maxUnits: number): number {
  const isFresh = room === maxUnits;
  const window = text.slice(0, room);
  const least = isFresh ? room / 2 : 0;
  const line = window.lastIndexOf('\n') + 1;
  if (line > least) return line;
  if (!isFresh && text.length <= maxUnits) return 0;
  const word = window.lastIndexOf(' ') + 1;
  if (word > least) return word;
  return isFresh ? Math.max(1, graphemesFit(text, room)) : 0;
}

function withoutInvisible(parts: readonly TextRuns[]): readonly TextRuns[] {
  const out: TextRuns[] = [];
  for (const part of parts) {
    const before = out.at(-1);
    if (before && (!isVisible(textOf(part)) || !isVisible(textOf(before)))) out[out.length - 1] = [...before, ...part];
    else out.push(part);
  }
  return out;
}
