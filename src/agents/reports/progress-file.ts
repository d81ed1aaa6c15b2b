// `progress.txt`, written by agents: patterns, then a block per story.

import { makeOwnFile } from '../../base/index.js';
import type { AttemptSpec } from '../../jobs/index.js';
import { attemptPaths, baseOf } from '../processes/environment.js';
import { readFileWithin } from '../processes/safe-read.js';

const maxBytes = 4 * 1024 * 1024;
const maxChars = 24_000;
const maxPatternsChars = 8000;
const patternsHeading = '## Codebase Patterns';
const cutNotice = '(what lies between was cut)';

export function beginProgress(spec: AttemptSpec, startedAt: number): void {
  if (!spec.keepsProgress) return;
  const task = spec.task ? `Task: ${spec.task.split('\n', 1)[0]}\n` : '';
  const header = `# Progress Log\nRun: ${spec.run}\n${task}Started: ${new Date(startedAt).toISOString()}\n\n${patternsHeading}\n\n---\n`;
  const { progressFile } = attemptPaths(spec);
  makeOwnFile(baseOf(spec, progressFile), progressFile, header);
}

export interface ReadProgress {
  /** Null: none, or unreadable. */
  readonly progress: string | null;
  readonly warning: string | null;
}

export function readProgress(spec: AttemptSpec): ReadProgress {
  if (!spec.keepsProgress) return { progress: null, warning: null };
  const file = readFileWithin(spec.sharedDir, attemptPaths(spec).progressFile, maxBytes);
  if (file.type === 'text') return { progress: shorten(file.text), warning: null };
  return { progress: null, warning: file.type === 'refused' ? file.why : null };
}

/** Cuts the middle: patterns always apply, and the end is newest. */
function shorten(text: string): string {
  if (text.length <= maxChars) return text;
  const patterns = patternsOf(text);
  const between = `${patterns === '' ? '' : `${patterns}\n\n`}${cutNotice}\n`;
  return `${between}${text.slice(-(maxChars - between.length))}`;
}

/** Ends at the next heading of its level, or at a rule. */
function patternsOf(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() === patternsHeading);
  if (first < 0) return '';
  const length = lines.slice(first + 1).findIndex((line) => /^##? |^---\s*$/.test(line));
  const end = length < 0 ? lines.length : first + 1 + length;
  return lines.slice(first, end).join('\n').trim().slice(0, maxPatternsChars);
}
