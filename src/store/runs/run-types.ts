import type { Attempt, Effect, Event, Interaction, Item, Run, Workflow } from '../../engine/index.js';

export interface AuditBreak {
  readonly seq: number;
  readonly why: string;
}

export interface StoredEvent {
  readonly seq: number;
  readonly event: Event;
}

export interface StoredRecord {
  readonly run: string;
  /** '' for the run's own. */
  readonly chain: string;
  readonly at: number;
  readonly by: string | null;
  readonly record: Extract<Effect, { type: 'record' }>['record'];
}

export interface AttemptRow {
  readonly attempt: Attempt;
  readonly run: string;
  readonly chain: string;
  readonly node: string;
  readonly checkpoint: string | null;
}

/** Known once the attempt has come back. */
export interface AttemptSpending extends Sum {
  readonly project: string;
  readonly at: number;
  /** Decides its day; null: the machine's zone. */
  readonly zone?: string | null;
  /** The attempt settled before its cost was known: updates its row. */
  readonly late?: { readonly attempt: string; readonly costUsd: number | null };
}

export interface Sum {
  readonly usd: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export interface Spending {
  readonly today: Sum;
  readonly week: Sum;
  readonly ever: Sum;
}

/** Null: none reported. */
export interface NodeCost {
  readonly chain: string;
  readonly node: string;
  readonly attempts: number;
  readonly durationMs: number;
  readonly costUsd: number | null;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export interface Spine {
  readonly run: Run;
  readonly items: readonly Item[];
  readonly interactions: readonly Interaction[];
  readonly workflow: Workflow;
}
