// The job payload: one attempt with everything a worker needs to run it, here or on another machine.

import type { LogFields } from '../base/index.js';
import type { Permission } from '../engine/index.js';
import type { ExecutorConfig } from './agent-config.js';

/** Built when the attempt is dispatched and immutable afterwards. */
export interface AttemptSpec {
  readonly attempt: string;
  readonly token: string;
  readonly project: string;
  readonly run: string;
  readonly task?: string;
  /** The item's key; empty for the run's own chain. */
  readonly item: string;
  /** The node's id (`n31`), its template's id (`impl`) and its label (`step-006`). */
  readonly node: string;
  readonly step: string;
  readonly label: string;
  readonly attemptNumber: number;
  readonly kind: 'agent' | 'check';
  /** As stored: without the values of its environment. */
  readonly executor: ExecutorConfig | null;
  /** The executor's name in config.yaml, where the worker finds the values that are not stored. */
  readonly executorName?: string;
  readonly prompt: string;
  readonly root: string;
  readonly workdir: string;
  /** Folder shared by all attempts of the run: `<root>/.ai/runs/<run>`. */
  readonly sharedDir: string;
  readonly logPath: string;
  readonly url: string;
  readonly timeoutMs: number;
  /** Whether the tests must fail for this step to pass. */
  readonly red: boolean;
  readonly tests: { readonly run: string; readonly format: string; readonly allowNone?: true } | null;
  readonly check: string | null;
  /** The owner's test, check and lint commands, whether or not this step runs them. */
  readonly ownerLines?: readonly string[];
  readonly checkTimeoutMs: number;
  /** Output keys that may start a value; null: every upper-case key may. */
  readonly outputs: readonly string[] | null;
  /** Whether the run keeps a progress log, which is read back after each attempt. */
  readonly keepsProgress: boolean;
  /** Other attempts share the checkout at the same time, so this one uses report files of its own. */
  readonly isBeside: boolean;
  /** The item's slot among items that run in parallel; null: none. */
  readonly slot: number | null;
  readonly access: 'read' | 'exec' | 'write';
  /** The workflow role, which selects the executor's overrides. */
  readonly agentRole: string | null;
  /** The agent session to resume, with the shorter prompt for that case. */
  readonly resume: { readonly session: string; readonly prompt: string } | null;
  /** Permissions that a person granted for the rest of the run. */
  readonly grants?: readonly Permission[];
  /** Spending limit in dollars; null: no limit. */
  readonly spendUsd: number | null;
  /** Files judged by the workflow's gates; absent if there are none. */
  readonly evidence?: { readonly files: readonly string[]; readonly survey: string | null };
  /** Globs of the pictures that the next review shows; absent: none. */
  readonly shows?: readonly string[];
  /** The trees that its work is compared with: before the chain began, and when a person last asked for changes. */
  readonly baseline?: { readonly whole?: string; readonly since?: string };
  /** The files that lines without a permission run, as they were before the work; the worker reads them from git. */
  readonly scripts?: Readonly<Record<string, string | null>>;
  /** Worker capabilities beyond the basics: `gpu`, `macos`, an installed agent. */
  readonly needs?: readonly string[];
  /** Team members that work on this step in parallel; null: one executor does all of it. */
  readonly team: readonly TeamMember[] | null;
}

export interface TeamMember {
  readonly role: string;
  readonly prompt: string;
  readonly writes: readonly string[];
  /** Members of one turn run in parallel; members whose files overlap get different turns. */
  readonly turn: number;
}

export function aboutAttempt({ project, run, item, node, attempt }: AttemptSpec): LogFields {
  return { project, run, ...(item !== '' && { item, story: item }), node, attempt };
}
