// Estimates come from finished runs of the same workflow.
import type { Run } from '../../../engine/index.js';
import type { View } from '../../../store/index.js';
import { money } from '../view.js';

/** With fewer runs an estimate says little. */
const leastRuns = 3;

export type PastRun = Pick<Run, 'workedMs' | 'costUsd' | 'unpriced'>;

/** `Usually 6 to 9 min, about $0.40.`; '' without history. */
export function usualLine(past: readonly PastRun[]): string {
  const minutes = past.flatMap(({ workedMs }) => (workedMs === undefined ? [] : [workedMs / 60_000]));
  if (minutes.length < leastRuns) return '';
  const [from, to] = [Math.round(at(minutes, 0.25)), Math.round(at(minutes, 0.75))];
  const time = to < 1 ? 'under a minute' : from < to && from > 0 ? `${from} to ${to} min` : `${to} min`;
  const priced = past.filter(({ unpriced }) => (unpriced ?? 0) === 0).map(({ costUsd }) => costUsd);
  const cost = priced.length < leastRuns ? 0 : at(priced, 0.5);
  return `Usually ${time}${cost >= 0.005 ? `, about ${money(cost)}` : ''}.`;
}

function at(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * part)] ?? 0;
}

/** The code must stay the last line of an open card. */
export function withLine(shown: View, line: string): View {
  if (line === '') return shown;
  const all = shown.text.split('\n');
  return { ...shown, text: [...all.slice(0, -1), line, ...all.slice(-1)].join('\n') };
}
