// Facts for after the commit; the bot words them.
import type { Event } from './event.js';
import type { Interaction, OutcomeKind, WorkspaceOp } from './model.js';

export type Effect =
  | { readonly type: 'dispatch'; readonly node: string; readonly attempt: string }
  | { readonly type: 'cancel'; readonly attempt: string }
  | { readonly type: 'workspace'; readonly op: WorkspaceOp }
  | { readonly type: 'tell_agent'; readonly attempt: string; readonly key: string; readonly answer: AgentAnswer }
  | { readonly type: 'raise'; readonly event: Event }
  | { readonly type: 'record'; readonly record: Record }
  | { readonly type: 'notice'; readonly notice: Notice }
  | { readonly type: 'reply'; readonly reply: Reply };

export type AgentAnswer =
  | { readonly kind: 'answered'; readonly text: string; readonly by: string }
  | { readonly kind: 'allowed'; readonly by: string }
  | { readonly kind: 'denied'; readonly by: string; readonly why: string | null }
  /** Or no longer needed. */
  | { readonly kind: 'expired' };

/** For people and exports; no decision reads it. */
export interface Record {
  readonly action: RecordAction;
  readonly chain: string;
  readonly step: { readonly label: string; readonly template: string } | null;
  readonly details: Readonly<{ [key: string]: unknown }>;
}

export type RecordAction =
  | 'story_claimed'
  | 'story_completed'
  | 'story_failed'
  | 'story_blocked'
  | 'story_unblocked'
  | 'story_merged'
  | 'step_started'
  | 'step_completed'
  | 'step_failed'
  | 'step_cancelled'
  | 'step_skipped'
  | 'step_restarted'
  | 'workflow_edit'
  | 'routed'
  | 'inserted'
  | 'decision';

export type Notice =
  | { readonly type: 'progress' }
  | {
      readonly type: 'settled';
      readonly node: string;
      readonly outcome: OutcomeKind;
      readonly leadsTo: string | null;
      readonly decision?: string;
    }
  | { readonly type: 'asked'; readonly interaction: Interaction }
  | { readonly type: 'decided'; readonly interaction: Interaction }
  | { readonly type: 'voted'; readonly interaction: Interaction }
  | { readonly type: 'reminded'; readonly interaction: Interaction }
  /** A person reminds those whom the card waits for. */
  | { readonly type: 'nudged'; readonly interaction: Interaction }
  | { readonly type: 'handed'; readonly interaction: Interaction }
  | { readonly type: 'reworded'; readonly interaction: Interaction }
  | { readonly type: 'task_edited' }
  /** `people`: those who had snoozed it. */
  | { readonly type: 'snooze_over'; readonly interaction: Interaction; readonly people: readonly string[] }
  | { readonly type: 'escalated'; readonly interaction: Interaction; readonly to: readonly string[] }
  /** `late`: they missed the attempt and go with the next prompt. */
  | {
      readonly type: 'words';
      readonly key: string;
      readonly node: string;
      readonly text: string;
      readonly state: 'sending' | 'sent' | 'late' | 'next';
    }
  /** `reported`: it ended with a report, which counts as the attempt. */
  | {
      readonly type: 'session';
      readonly key: string;
      readonly step: string;
      readonly by: string;
      readonly state: 'open' | 'reported' | 'closed' | 'lost';
    }
  | { readonly type: 'item_done'; readonly item: string; readonly note: string | null }
  | { readonly type: 'item_failed'; readonly item: string }
  | { readonly type: 'waits_for_go'; readonly item: string; readonly step: string }
  /** Tells the people who were asked for the approval. */
  | { readonly type: 'approval_skipped'; readonly title: string; readonly by: string; readonly reason: string }
  /** `until`: its next try; null: a person must repair it. */
  | {
      readonly type: 'executor_replaced';
      readonly failed: string;
      readonly code: string;
      readonly until: number | null;
      readonly by: string;
      /** Set if the replacement must wait too. */
      readonly from: number | null;
    }
  | { readonly type: 'executor_back'; readonly name: string }
  | { readonly type: 'ended'; readonly note?: string }
  | { readonly type: 'left_settled'; readonly note: string }
  /** `card`: the question that a person answered. */
  | {
      readonly type: 'landed';
      readonly how: 'merged' | 'conflict' | 'busy';
      readonly note: string;
      readonly files: readonly string[];
      readonly card: string | null;
    }
  /** `decision`: `post-test → pass`, say. */
  | { readonly type: 'told'; readonly text: string; readonly decision?: string };

export type Reply =
  | { readonly type: 'drafted'; readonly position: number }
  | { readonly type: 'started' }
  | { readonly type: 'going_on'; readonly step: string | null }
  | { readonly type: 'still_running'; readonly item: string; readonly step: string; readonly sinceMs: number | null }
  /** The run continues by itself once the checkout operation is recorded. */
  | { readonly type: 'checkout_busy' }
  | { readonly type: 'shown'; readonly interactions: readonly Interaction[] }
  | { readonly type: 'nothing_to_do' }
  | { readonly type: 'name_a_step'; readonly steps: readonly string[] }
  | { readonly type: 'queued_behind'; readonly run: string }
  | { readonly type: 'blocked'; readonly item: string; readonly by: readonly string[] }
  | {
      readonly type: 'paused';
      readonly running: readonly string[];
      readonly done: readonly string[];
      readonly next: string | null;
    }
  | { readonly type: 'killing'; readonly count: number }
  | { readonly type: 'aborting'; readonly dropped: number }
  | { readonly type: 'retrying'; readonly item: string; readonly step: string }
  | { readonly type: 'skipped'; readonly item: string; readonly step: string }
  | { readonly type: 'rolling_back'; readonly step: string }
  /** `scope` absent: the run's own. */
  | { readonly type: 'budget'; readonly usd: number | null; readonly scope?: 'day' | 'project' }
  | { readonly type: 'taken'; readonly interaction: string; readonly option: string }
  /** `isRepeated`: this person had approved before; a vote counts once per person. */
  | { readonly type: 'voted'; readonly interaction: Interaction; readonly isRepeated: boolean }
  | { readonly type: 'needs_text'; readonly interaction: Interaction; readonly option: string }
  | { readonly type: 'refused'; readonly why: string };

export interface Decision<S> {
  readonly state: S;
  readonly effects: readonly Effect[];
  readonly ignored: string | null;
}
