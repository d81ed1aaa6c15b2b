// One table for the words that executors use for how it went and why; an unknown word is never a pass.

export type StatusWord = 'pass' | 'failing' | 'needs_human' | 'retry';

const STATUS_WORDS: Readonly<Record<StatusWord, readonly string[]>> = {
  pass: ['pass', 'passed', 'passing', 'done', 'complete', 'completed', 'success', 'successful', 'succeeded', 'ok'],
  failing: ['failing', 'fail', 'fails', 'failed', 'failure', 'error', 'blocked'],
  needs_human: ['needs_human', 'need_human', 'human', 'question'],
  retry: ['retry', 'redo', 'needs_retry'],
};

const STATUS_BY_WORD: ReadonlyMap<string, StatusWord> = new Map(
  (['pass', 'failing', 'needs_human', 'retry'] as const).flatMap((status) =>
    STATUS_WORDS[status].map((word) => [word, status] as const),
  ),
);

/** The reason of a pass that changed no file because none had to change. */
export const nothingToDo = 'nothing_to_do';

/** Reasons that every workflow understands; its own ones come on top. */
export const standardReasons: readonly string[] = [
  'constitution_violation',
  'needs_clarification',
  'nfr_missing',
  'scope_warning',
  'test_timeout',
  nothingToDo,
];

const MAX_WORD_CHARS = 64;

/** The canonical status for a word as written, null for a word that nobody knows. */
export function normaliseStatus(word: string | null): StatusWord | null {
  if (word === null) return null;
  return STATUS_BY_WORD.get(canonical(word)) ?? null;
}

export interface NormalisedReason {
  readonly reason: string | null;
  /** What was wrong with the reason as written; its text belongs into the summary then. */
  readonly warning: string | null;
}

/** A reason that routes know, or null; `known` are the reasons that the workflow declares itself. */
export function normaliseReason(text: string | null, known: readonly string[] = []): NormalisedReason {
  const word = text === null ? '' : canonical(text);
  if (word === '' || word === 'null' || word === 'none') return { reason: null, warning: null };
  const match = [...standardReasons, ...known].find((reason) => canonical(reason) === word);
  if (match !== undefined) return { reason: match, warning: null };
  return { reason: null, warning: `unknown reason "${(text as string).trim().slice(0, MAX_WORD_CHARS)}"` };
}

/** Lower case, `_` for blanks and hyphens, without quotes, emphasis or a full stop around it. */
function canonical(word: string): string {
  const bare = word.trim();
  if (bare.length > MAX_WORD_CHARS) return 'too long for a word';
  return bare
    .replace(/^["'`*_~]+/, '')
    .replace(/["'`*_~.!,;]+$/, '')
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}
