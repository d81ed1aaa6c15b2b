// A job is one attempt with everything a worker needs to run it, here or on another machine.
import type { Envelope, Permission } from '../engine/index.js';

export interface Job {
  /** The attempt's id: derived, without `:`, and so its own idempotency key. */
  readonly id: string;
  readonly project: string;
  readonly run: string;
  /** Jobs with the same checkout run one at a time, unless they share a group. */
  readonly checkout: string | null;
  readonly group: string | null;
  /** Lower runs first. */
  readonly priority: number;
  /** Not to begin before this time of day, in ms; left out: at once. */
  readonly notBefore?: number;
  readonly payload: AttemptSpec;
}

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

export type ExecutorConfig =
  | {
      readonly kind: 'command';
      readonly run: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly passEnv: readonly string[];
      /** Program and arguments that the executor's own come after: a container, another user. */
      readonly wrap?: readonly string[];
      /** As for the agents below; left out: ten minutes. */
      readonly answerWithinMs?: number;
    }
  | {
      readonly kind: 'script';
      readonly file: string;
      readonly env: Readonly<Record<string, string>>;
      readonly passEnv: readonly string[];
    }
  | AgentConfig;

/** A coding agent that Bosun knows how to speak to. */
export interface AgentConfig {
  readonly kind: 'claude' | 'codex' | 'opencode';
  /** The program; null: the kind's own name, as PATH finds it. */
  readonly program: string | null;
  readonly model: string | null;
  readonly args: readonly string[];
  /** `ask`: a person decides what its rules leave open; `deny`: nobody does; `bypass`: it may do everything. */
  readonly permission: 'ask' | 'deny' | 'bypass';
  /** Tools that it may use unasked, in its own words. */
  readonly tools: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly passEnv: readonly string[];
  readonly wrap: readonly string[];
  /** How long it waits for a person's answer before it ends and is gone on with later. */
  readonly answerWithinMs: number;
  /** Dollars for a million tokens, for agents that tell no cost. */
  readonly prices: { readonly input: number; readonly cached: number; readonly output: number } | null;
  /** What is different for a role of the workflow. */
  readonly roles: Readonly<Record<string, AgentOfRole>>;
}

/** What one role has instead of what its executor says. */
export type AgentOfRole = {
  readonly [Key in 'model' | 'args' | 'permission' | 'tools' | 'env']?: AgentConfig[Key] | undefined;
};

/** What a worker tells while it works. None of it is evidence. */
export type Progress =
  | { readonly type: 'started'; readonly pid: number | null; readonly baseSha: string | null }
  | { readonly type: 'output'; readonly line: string }
  | { readonly type: 'phase'; readonly phase: 'agent' | 'check' | 'tests' }
  /** What the agent is doing, in few words; `text`: what it says itself. */
  | { readonly type: 'action'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'usage'; readonly costUsd: number | null; readonly tokensIn: number; readonly tokensOut: number }
  | { readonly type: 'expiring'; readonly inMs: number };

/** How the one who started a worker talks back to it. */
export interface JobControl {
  /** Aborted with the reason 'cancel' or 'interrupted'. */
  readonly signal: AbortSignal;
  onExtend(listen: (byMs: number) => void): void;
  /** The time limit stands still while a person is awaited. */
  onWait?(listen: (isWaiting: boolean) => void): void;
  report(progress: Progress): void;
  /** What a worker needs that has not the home's disk; left out: it has. */
  readonly afar?: Afar;
}

/** The way from a worker elsewhere to the Bosun whose job it runs. Both wait for a Bosun that is away. */
export interface Afar {
  /** Where the checkout lies that the attempt works in; rejects with what a person can mend. */
  fetch(): Promise<Freight>;
  /** What its agent says to Bosun over HTTP. */
  call(call: AgentCall): Promise<AgentReply>;
}

/** A checkout on its way to another machine: a commit that holds it, at a remote which both reach. */
export interface Freight {
  /** Without credentials: each side has its own. */
  readonly remote: string;
  readonly ref: string;
  readonly commit: string;
  /** Where what came of it is to be pushed. */
  readonly backRef: string;
  /** The project's folder below the top of its checkout; empty: the top itself. */
  readonly prefix: string;
  /** The owner's line that makes a fresh checkout fit for work. */
  readonly setup: string | null;
}

export const agentPaths = ['/agent/ask', '/agent/permission', '/agent/progress'] as const;

export interface AgentCall {
  readonly path: (typeof agentPaths)[number];
  /** JSON, as the agent sent it. */
  readonly body: string;
}

export interface AgentReply {
  readonly status: number;
  readonly body: string;
}

export type RunAttempt = (job: AttemptSpec, control: JobControl) => Promise<Envelope>;
