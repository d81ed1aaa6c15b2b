// Attempts, events and spending of runs as the store keeps them.

import type { Attempt, Effect, Event, Interaction, Item, Run, Workflow } from '../../engine/index.js';

export interface AuditBreak {
  readonly seq: number;
  readonly why: string;
}

export interface StoredEvent {
  readonly seq: number;
  readonly event: Event;
}

/** A line of a chain's history, with when it was and who caused it. */
export interface StoredRecord {
  readonly run: string;
  /** Empty for the run's own chain. */
  readonly chain: string;
  readonly at: number;
  /** null: nobody in particular. */
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

/** What an attempt cost, when it came back. */
export interface AttemptSpending extends Sum {
  readonly project: string;
  readonly at: number;
  /** Whose day it counts for; null or left out: the machine's. */
  readonly zone?: string | null;
  /** Of an attempt that was settled without its cost: its row is told. */
  readonly late?: { readonly attempt: string; readonly costUsd: number | null };
}

export interface Sum {
  readonly usd: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
}

/** Of a project: on the day of a moment, on the last seven with that one, and of all time. */
export interface Spending {
  readonly today: Sum;
  readonly week: Sum;
  readonly ever: Sum;
}

/** All attempts of one node; a cost of null: none of them told any. */
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
