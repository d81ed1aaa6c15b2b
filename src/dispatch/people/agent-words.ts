// The run stores people's words, and agents fetch them with their attempt's token. The waiting HTTP calls live here.
import type { RunReader } from '../../store/index.js';
import type { AgentQuestions } from '../attempts/agent-questions.js';
import { emptyPlan, type MakePlan, type Submitted } from '../plans/plan.js';

export interface WordsCall {
  readonly token: string;
  /** The fate of an earlier call's words. */
  readonly heard: { readonly key: string; readonly isHeard: boolean } | null;
  /** At most 25 seconds. */
  readonly waitMs: number;
  readonly gone: AbortSignal;
}

/** `waiting`: ask again. */
export type WordsReply =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'words'; readonly key: string; readonly text: string; readonly by: string };

export interface WordsParts {
  readonly store: Pick<RunReader, 'chain'>;
  readonly attemptOf: AgentQuestions['attemptOf'];
  readonly now: () => number;
  readonly submit: (work: MakePlan) => Promise<Submitted>;
}

interface Listening {
  readonly run: string;
  /** The next call must come before this. */
  until: number;
  readonly wakes: Set<() => void>;
}

const maxPollMs = 25_000;
/** Covers the gap between calls and a short outage. */
const graceMs = 15_000;

export class AgentWords {
  readonly #parts: WordsParts;
  readonly #listening = new Map<string, Listening>();
  #isClosed = false;

  constructor(parts: WordsParts) {
    this.#parts = parts;
  }

  /** Its present turn takes words. */
  hears(attempt: string): boolean {
    return (this.#listening.get(attempt)?.until ?? 0) > this.#parts.now();
  }

  async next({ token, heard, waitMs, gone }: WordsCall): Promise<WordsReply> {
    const { now, attemptOf, submit } = this.#parts;
    const { attempt, run, chain } = attemptOf(token);
    if (heard !== null) {
      const { key, isHeard } = heard;
      await submit(({ at }) => ({
        ...emptyPlan,
        events: [{ type: 'words_heard', run, chain, at, attempt: attempt.id, key, isHeard }],
      }));
    }
    const within = Math.min(waitMs, maxPollMs);
    const listening = this.#listening.get(attempt.id) ?? { run, until: 0, wakes: new Set() };
    listening.until = now() + within + graceMs;
    this.#listening.set(attempt.id, listening);
    const first = this.#wordsFor(attempt.id, run, chain);
    if (first.kind === 'words' || this.#isClosed || gone.aborted) return first;
    await waitUntil(listening.wakes, within, gone);
    return this.#wordsFor(attempt.id, run, chain);
  }

  look(runs: ReadonlySet<string>): void {
    for (const [attempt, { run, until, wakes }] of this.#listening) {
      if (until <= this.#parts.now()) this.#listening.delete(attempt);
      if (runs.has(run)) for (const wake of [...wakes]) wake();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const { wakes } of this.#listening.values()) for (const wake of [...wakes]) wake();
  }

  #wordsFor(attempt: string, run: string, chain: string): WordsReply {
    if (this.#isClosed) return { kind: 'waiting' };
    const note = this.#parts.store.chain(run, chain)?.notes.find(({ words }) => words?.to === attempt);
    if (note?.words === undefined) return { kind: 'waiting' };
    return { kind: 'words', key: note.words.key, text: note.text, by: note.by };
  }
}

function waitUntil(wakes: Set<() => void>, waitMs: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      wakes.delete(done);
      gone.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, waitMs);
    wakes.add(done);
    gone.addEventListener('abort', done, { once: true });
  });
}
