// All that a worker needs for one attempt. Immutable.

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
  /** Without secret environment values. */
  readonly executor: ExecutorConfig | null;
  /** Finds those values in the worker's config. */
  readonly executorName?: string;
  readonly prompt: string;
  readonly root: string;
  readonly workdir: string;
  /** For all attempts of the run: `<root>/.ai/runs/<run>`. */
  readonly sharedDir: string;
  readonly logPath: string;
  readonly url: string;
  readonly timeoutMs: number;
  /** Test-first: the tests must fail for this step to pass. */
  readonly red: boolean;
  readonly tests: { readonly run: string; readonly format: string; readonly allowNone?: true } | null;
  readonly check: string | null;
  /** The owner's commands, even those that this step skips. */
  readonly ownerLines?: readonly string[];
  readonly checkTimeoutMs: number;
  readonly outputs: readonly string[] | null;
  readonly keepsProgress: boolean;
  /** Other steps share the checkout, so reports need files of their own. */
  readonly isBeside: boolean;
  /** Among parallel items; null: none. */
  readonly slot: number | null;
  readonly access: 'read' | 'exec' | 'write';
  readonly agentRole: string | null;
  /** The shorter prompt of a resumed session. */
  readonly resume: { readonly session: string; readonly prompt: string } | null;
  readonly grants?: readonly Permission[];
  readonly spendUsd: number | null;
  readonly evidence?: { readonly files: readonly string[]; readonly survey: string | null };
  readonly shows?: readonly string[];
  /** Trees to compare with: before the chain, and at a person's last request for changes. */
  readonly baseline?: { readonly whole?: string; readonly since?: string };
  /** As they were before the work; the worker reads them from git. */
  readonly scripts?: Readonly<Record<string, string | null>>;
  readonly needs?: readonly string[];
  /** Agents that work on this step in parallel; null: one. */
  readonly team: readonly TeamMember[] | null;
}

export interface TeamMember {
  readonly role: string;
  readonly prompt: string;
  readonly writes: readonly string[];
  /** Members of one turn run in parallel; overlapping files force different turns. */
  readonly turn: number;
}

export function aboutAttempt({ project, run, item, node, attempt }: AttemptSpec): LogFields {
  return { project, run, ...(item !== '' && { item, story: item }), node, attempt };
}
