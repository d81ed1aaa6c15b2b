// Executors use many words for status and reason. An unknown word never passes.

export type StatusWord = 'pass' | 'failing' | 'needs_human' | 'retry';

const statusWords: Readonly<Record<StatusWord, readonly string[]>> = {
  pass: ['pass', 'passed', 'passing', 'done', 'complete', 'completed', 'success', 'successful', 'succeeded', 'ok'],
  failing: ['failing', 'fail', 'fails', 'failed', 'failure', 'error', 'blocked'],
  needs_human: ['needs_human', 'need_human', 'human', 'question'],
  retry: ['retry', 'redo', 'needs_retry'],
};

const statusByWord: ReadonlyMap<string, StatusWord> = new Map(
  (['pass', 'failing', 'needs_human', 'retry'] as const).flatMap((status) =>
    statusWords[status].map((word) => [word, status] as const),
  ),
);

/** A pass that rightly changed nothing. */
export const nothingToDo = 'nothing_to_do';

const standardReasons: readonly string[] = [
  'constitution_violation',
  'needs_clarification',
  'nfr_missing',
  'scope_warning',
  'test_timeout',
  nothingToDo,
];

const maxWordChars = 64;

/** Null: unknown. */
export function normaliseStatus(word: string | null): StatusWord | null {
  if (word === null) return null;
  return statusByWord.get(canonical(word)) ?? null;
}

interface NormalisedReason {
  readonly reason: string | null;
  readonly warning: string | null;
}

/** `known`: declared by the workflow. */
export function normaliseReason(text: string | null, known: readonly string[]): NormalisedReason {
  if (text === null) return { reason: null, warning: null };
  const word = canonical(text);
  if (word === '' || word === 'null' || word === 'none') return { reason: null, warning: null };
  const match = [...standardReasons, ...known].find((reason) => canonical(reason) === word);
  if (match !== undefined) return { reason: match, warning: null };
  return { reason: null, warning: `unknown reason "${text.trim().slice(0, maxWordChars)}"` };
}

function canonical(word: string): string {
  const bare = word.trim();
  if (bare.length > maxWordChars) return 'too long for a word';
  return bare
    .replace(/^["'`*_~]+/, '')
    .replace(/["'`*_~.!,;]+$/, '')
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}
