// The parser's result: plain data, the same for a command and for a reply.

export interface ProjectName {
  readonly name: string;
  readonly aliases: readonly string[];
}

export const REPLY_KINDS = ['review', 'question', 'escalation', 'confirm', 'choice', 'permission', 'budget'] as const;

export type ReplyKind = (typeof REPLY_KINDS)[number];

/** What Bosun may offer instead: `text` is a sentence that parses to this verb and project. */
export interface Candidate {
  readonly verb: string;
  readonly project: string | null;
  readonly text: string;
}

export interface Parsed {
  readonly text: string;
  /** null means unclear: nothing may act on it. `answer` comes only from a reply. */
  readonly verb: string | null;
  /** The name, never an alias; null if none was said; `all` for `stop all`. */
  readonly project: string | null;
  /** A node's id or label, or a story's key, as said; for budget the amount, `+5`. */
  readonly target: string | null;
  /** The text after the colon; for start the task, in a reply the remark or the answer. */
  readonly note: string | null;
  /** The interaction that approve or reject names, `i12-3`. Without it and without a reply they answer nothing. */
  readonly code: string | null;
  /** A reason code that began the note of a rejection, unchecked: only the workflow knows whether it routes. */
  readonly reason: string | null;
  /** For start: the workflow's name or path. */
  readonly workflow: string | null;
  /** For start: `once` was said, a run that leaves nothing behind. */
  readonly isOneShot?: true;
  /** For start: the workflow's inputs. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly inReply: ReplyKind | null;
  /** Empty unless the verb is null. */
  readonly candidates: readonly Candidate[];
}

export function unclear(text: string, candidates: readonly Candidate[] = []): Parsed {
  return {
    text,
    verb: null,
    project: null,
    target: null,
    note: null,
    code: null,
    reason: null,
    workflow: null,
    inReply: null,
    candidates,
  };
}
