// A job is one attempt with everything a worker needs to run it, here or on another machine.

import type { LogFields } from '../base/index.js';
import type { Permission } from '../engine/index.js';
import type { ExecutorConfig } from './agent-config.js';

/** What the executor side needs to know; made when the attempt is dispatched and never changed after. */
export interface AttemptSpec {
  readonly attempt: string;
  readonly token: string;
  readonly project: string;
  readonly run: string;
  /** What the run is for. */
  readonly task?: string;
  /** Empty outside items. */
  readonly item: string;
  /** The node's id (`n31`), its template's id (`impl`) and its label (`step-006`). */
  readonly node: string;
  readonly step: string;
  readonly label: string;
  readonly attemptNumber: number;
  readonly kind: 'agent' | 'check';
  /** As it is stored, without what its environment holds. */
  readonly executor: ExecutorConfig | null;
  /** What it is called in the config, which has the rest of it. */
  readonly executorName?: string;
  readonly prompt: string;
  readonly root: string;
  readonly workdir: string;
  /** Folder for what the run's attempts share: `<root>/.ai/runs/<run>`. */
  readonly sharedDir: string;
  readonly logPath: string;
  readonly url: string;
  readonly timeoutMs: number;
  /** Whether the tests must be red. */
  readonly red: boolean;
  readonly tests: { readonly run: string; readonly format: string; readonly allowNone?: true } | null;
  readonly check: string | null;
  /** What the project's owner has set as tests, check and lint, whether or not this step runs them. */
  readonly ownerLines?: readonly string[];
  readonly checkTimeoutMs: number;
  /** Output keys that start a value; null lets every upper-case key start one. */
  readonly outputs: readonly string[] | null;
  /** Whether the run keeps a progress log that is read back after each attempt. */
  readonly keepsProgress: boolean;
  /** Others work in the same checkout at the same time, so it reports in files of its own. */
  readonly isBeside: boolean;
  /** The item's place among those that are worked on side by side. */
  readonly slot: number | null;
  /** What its agent may do: look, also run what is there, or also write. */
  readonly access: 'read' | 'exec' | 'write';
  /** The role that does it, by which an executor may be set up in different ways. */
  readonly agentRole: string | null;
  /** The session of its agent that it goes on with, and the shorter prompt for that. */
  readonly resume: { readonly session: string; readonly prompt: string } | null;
  /** What a person allowed beforehand. */
  readonly grants?: readonly Permission[];
  /** What it may cost before it is stopped; null: no limit. */
  readonly spendUsd: number | null;
  /** The files that gates of its workflow judge; left out where there are none. */
  readonly evidence?: { readonly files: readonly string[]; readonly survey: string | null };
  /** What its worker must be able to do beyond what every worker can: `gpu`, `macos`, an agent that is installed. */
  readonly needs?: readonly string[];
  /** The members that work on this step at the same time; null: one executor does all of it. */
  readonly team: readonly TeamMember[] | null;
}

export interface TeamMember {
  readonly role: string;
  readonly prompt: string;
  readonly writes: readonly string[];
  /** Members of one turn work side by side; those whose files overlap take turns. */
  readonly turn: number;
}

// What a line of the log is about, where it tells of an attempt at work or of a message on its way.
export function aboutAttempt({ project, run, item, node, attempt }: AttemptSpec): LogFields {
  return { project, run, ...(item !== '' && { item, story: item }), node, attempt };
}
