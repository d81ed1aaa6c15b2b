import type { Attempt, Workflow } from '../../engine/index.js';
import type { AttemptRow } from '../../store/index.js';
import { defOf, iso } from './formats.js';
import type { SessionStep } from './session-steps.js';

export interface Wave {
  readonly number: number;
  readonly rows: readonly AttemptRow[];
}

export interface WaveEntry {
  readonly id: string;
  /** Node ids stay stable when steps change. */
  readonly steps: readonly string[];
  readonly started_at: string;
  readonly completed_at: string | null;
}

export interface WaveFiles {
  readonly wave: Wave;
  readonly calls: string;
  /** Null: still running. */
  readonly results: string | null;
}

/** `attempts` in dispatch order. A barrier is a wave of its own. */
export function wavesOf(attempts: readonly AttemptRow[], barriers: ReadonlySet<string>): readonly Wave[] {
  const waves: { number: number; rows: AttemptRow[] }[] = [];
  for (const row of attempts) {
    const wave = waves.at(-1);
    if (wave?.rows.every((other) => mayShare(other, row, barriers))) wave.rows.push(row);
    else waves.push({ number: waves.length + 1, rows: [row] });
  }
  return waves;
}

function mayShare(one: AttemptRow, other: AttemptRow, barriers: ReadonlySet<string>): boolean {
  const isTogether = one.attempt.dispatchedAt === other.attempt.dispatchedAt && one.node !== other.node;
  return isTogether && !barriers.has(one.node) && !barriers.has(other.node);
}

export function barriersOf(workflow: Workflow, nodes: readonly { readonly id: string; readonly template: string }[]) {
  const isBarrier = (template: string) => defOf(workflow, template)?.barrier === true;
  return new Set(nodes.filter((node) => isBarrier(node.template)).map((node) => node.id));
}

export function waveNumbers(waves: readonly Wave[]): ReadonlyMap<string, number> {
  return new Map(waves.flatMap(({ number, rows }) => rows.map(({ node }) => [node, number] as const)));
}

export function waveEntry({ number, rows }: Wave): WaveEntry {
  const starts = rows.map(({ attempt }) => attempt.startedAt ?? attempt.dispatchedAt);
  const ends = rows.map(({ attempt }) => attempt.endedAt).filter((at) => at !== null);
  return {
    id: `wave-${number}`,
    steps: rows.map(({ node }) => node),
    started_at: iso(Math.min(...starts)),
    completed_at: ends.length < rows.length ? null : iso(Math.max(...ends)),
  };
}

export function waveFiles(wave: Wave, steps: readonly SessionStep[]): WaveFiles {
  const stepOf = new Map(steps.map((step) => [step.node, step]));
  const called = wave.rows.flatMap(({ node, attempt }) => {
    const step = stepOf.get(node);
    return step ? [{ node, attempt, step, call: [step.skill, step.args].filter((part) => part !== '').join(' ') }] : [];
  });
  const calls = called.map(({ node, step, call }) => [
    node,
    wrappedCall(call),
    `Ralph step ${step.index + 1}/${steps.length}: ${call}`,
  ]);
  const isOver = called.every(({ attempt }) => attempt.state === 'settled');
  const results = called.map(({ node, attempt, call }) => [node, ...resultOf(attempt, wrappedCall(call))]);
  return {
    wave,
    calls: csvText(['id', 'skill_call', 'topic'], calls),
    results: isOver ? csvText(['id', 'status', 'skill_call', 'summary', 'artifacts', 'error'], results) : null,
  };
}

function wrappedCall(call: string): string {
  return `$maestro-ralph-execute "$${call.replaceAll(/["\\]/g, '\\$&')}"`;
}

function resultOf(attempt: Attempt, call: string): readonly string[] {
  const { outcome, reason, summary, filesChanged } = attempt;
  const error = outcome === 'pass' ? '' : (reason ?? outcome ?? 'no result');
  return [outcome === 'pass' ? 'completed' : 'failed', call, summary ?? '', filesChanged.join(';'), error];
}

/** RFC 4180. */
export function csvText(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\n`).join('');
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
