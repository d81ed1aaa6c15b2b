export interface ProjectName {
  readonly name: string;
  readonly aliases: readonly string[];
}

export const replyKinds = ['review', 'question', 'escalation', 'confirm', 'choice', 'permission', 'budget'] as const;

export type ReplyKind = (typeof replyKinds)[number];

export interface Candidate {
  readonly verb: string;
  readonly project: string | null;
  readonly text: string;
}

export interface Parsed {
  readonly text: string;
  /** Null: unclear, so nothing may act. `answer`: only from a reply. */
  readonly verb: string | null;
  /** Never an alias; null: none named; `all`: `stop all`. */
  readonly project: string | null;
  /** As typed: a node's id or label, a story's key; for budget `+5`. */
  readonly target: string | null;
  /** After the colon: task, remark or answer. */
  readonly note: string | null;
  /** `i12-3`; without it and a reply nothing is answered. */
  readonly code: string | null;
  /** A rejection's reason, unchecked: the workflow knows if it routes. */
  readonly reason: string | null;
  readonly workflow: string | null;
  readonly isOneShot?: true;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly inReply: ReplyKind | null;
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
