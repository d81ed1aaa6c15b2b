// All that a worker needs to run one attempt, here or elsewhere. Immutable.

import type { LogFields } from '../base/index.js';
import type { Permission } from '../engine/index.js';
import type { ExecutorConfig } from './agent-config.js';

export interface AttemptSpec {
  readonly attempt: string;
  readonly token: string;
  readonly project: string;
  readonly run: string;
  readonly task?: string;
  /** '' for the run's own chain. */
  readonly item: string;
  /** The node's id (`n31`), its template (`impl`) and label (`step-006`). */
  readonly node: string;
  readonly step: string;
  readonly label: string;
  readonly attemptNumber: number;
  readonly kind: 'agent' | 'check';
  /** Without its environment's values. */
  readonly executor: ExecutorConfig | null;
  /** Where the worker's config has the values that are not stored. */
  readonly executorName?: string;
  readonly prompt: string;
  readonly root: string;
  readonly workdir: string;
  /** For all attempts of the run: `<root>/.ai/runs/<run>`. */
  readonly sharedDir: string;
  readonly logPath: string;
  readonly url: string;
  readonly timeoutMs: number;
  /** The tests must fail for this step to pass. */
  readonly red: boolean;
  readonly tests: { readonly run: string; readonly format: string; readonly allowNone?: true } | null;
  readonly check: string | null;
  /** The owner's commands, whether or not this step runs them. */
  readonly ownerLines?: readonly string[];
  readonly checkTimeoutMs: number;
  readonly outputs: readonly string[] | null;
  readonly keepsProgress: boolean;
  /** Others share the checkout now, so use report files of its own. */
  readonly isBeside: boolean;
  /** The item's slot among parallel ones; null: none. */
  readonly slot: number | null;
  readonly access: 'read' | 'exec' | 'write';
  readonly agentRole: string | null;
  /** With the shorter prompt for that case. */
  readonly resume: { readonly session: string; readonly prompt: string } | null;
  readonly grants?: readonly Permission[];
  readonly spendUsd: number | null;
  /** Files that gates judge; absent: none. */
  readonly evidence?: { readonly files: readonly string[]; readonly survey: string | null };
  /** Pictures for the next review, as globs. */
  readonly shows?: readonly string[];
  /** Trees to compare with: before the chain, and when a person last asked for changes. */
  readonly baseline?: { readonly whole?: string; readonly since?: string };
  /** Files that unasked lines run, as before the work; the worker reads them from git. */
  readonly scripts?: Readonly<Record<string, string | null>>;
  /** `gpu`, `macos`, an installed agent. */
  readonly needs?: readonly string[];
  /** Work on this step in parallel; null: one executor does it. */
  readonly team: readonly TeamMember[] | null;
}

export interface TeamMember {
  readonly role: string;
  readonly prompt: string;
  readonly writes: readonly string[];
  /** Members of a turn run in parallel; overlapping files get different turns. */
  readonly turn: number;
}

export function aboutAttempt({ project, run, item, node, attempt }: AttemptSpec): LogFields {
  return { project, run, ...(item !== '' && { item, story: item }), node, attempt };
}
