// The run stores questions and answers; only the waiting HTTP callers live here.
import { createHash } from 'node:crypto';
import { permissionMark } from '../../agents/index.js';
import { BosunError, type Redact, redacted } from '../../base/index.js';
import type { AgentAnswer, Ask, Effect } from '../../engine/index.js';
import { type ExecutorConfig, isTokenOf, type JobRows } from '../../jobs/index.js';
import type { JobQueue } from '../../queue/index.js';
import type { AttemptRow, Store } from '../../store/index.js';
import { hiddenWork, hidesWork, oneLine, permissionAsk, type ToolUse, whyRefused } from '../../worker/index.js';
import { emptyPlan, type MakePlan, type Submitted } from '../plans/plan.js';

export type OpenAgentQuestion =
  | { readonly kind: 'question'; readonly text: string; readonly options: readonly string[] }
  | ({ readonly kind: 'permission' } & ToolUse);

export interface AgentQuestion {
  readonly token: string;
  readonly key: string;
  readonly ask: OpenAgentQuestion;
  /** At most 25 seconds. */
  readonly waitMs?: number;
  /** The caller disconnected; the question stays open. */
  readonly gone?: AbortSignal;
}

/** `waiting`: the caller asks again with the same key. */
export type AgentQuestionAnswer = AgentAnswer | { readonly kind: 'waiting' };

export interface AskParts {
  readonly store: Pick<Store, 'openAttempts' | 'attempt' | 'spine'> & { readonly jobs: Pick<JobRows, 'payload'> };
  readonly queue: Pick<JobQueue, 'wait'>;
  readonly secret: string;
  /** Redacts with the secrets of the token's attempt. */
  readonly redactOf: (token: string) => Redact;
  readonly now: () => number;
  readonly submit: (work: MakePlan) => Promise<Submitted>;
  readonly onError: (error: unknown) => void;
}

interface Asked {
  /** A hash of the question, so that its key cannot be reused for another. Null: asked under an earlier process. */
  readonly print: string | null;
  /** Rejects if the question could not be stored. */
  opened: Promise<void>;
  readonly listeners: Set<() => void>;
  answer: AgentAnswer | null;
  timer: NodeJS.Timeout | undefined;
}

interface AskingAttempt {
  readonly run: string;
  readonly chain: string;
  readonly asked: Map<string, Asked>;
  isWaiting: boolean;
}

type Place = Pick<AttemptRow, 'run' | 'chain'> & { readonly attempt: string };

const maxPollMs = 25_000;
const usualAnswerWithinMs = 600_000;
const maxOpen = 20;
const maxAsked = 2_000;

export class AgentQuestions {
  readonly #parts: AskParts;
  readonly #attempts = new Map<string, AskingAttempt>();
  #isClosed = false;

  constructor(parts: AskParts) {
    this.#parts = parts;
  }

  async ask({ token, key, ask, waitMs = maxPollMs, gone }: AgentQuestion): Promise<AgentQuestionAnswer> {
    const { attempt, ...row } = this.attemptOf(token);
    const place = { ...row, attempt: attempt.id };
    const print = printOf(ask);
    const asked = this.#attempts.get(place.attempt)?.asked.get(key) ?? this.#open(place, { key, ask, token }, print);
    if (asked.print !== null && asked.print !== print) {
      throw new BosunError('bad_input', `The key "${oneLine(key).slice(0, 80)}" already belongs to another question`, {
        hint: 'Use a new key for each question.',
      });
    }
    await asked.opened;
    return this.#waitForAnswer(asked, Math.min(waitMs, maxPollMs), gone);
  }

  attemptOf(token: string): AttemptRow {
    const { store, secret } = this.#parts;
    const row = store.openAttempts().find((one) => isTokenOf(secret, one.attempt.id, token));
    if (row?.attempt.state === 'running') return row;
    throw new BosunError('not_allowed', 'That token belongs to no running attempt: it has ended, or never existed', {
      hint: 'A token is valid for one attempt, until it ends. Stop here.',
    });
  }

  tell({ attempt, key, answer }: Extract<Effect, { type: 'tell_agent' }>): void {
    const asked = this.#attempts.get(attempt)?.asked.get(key);
    if (asked) this.#answer(attempt, asked, answer);
  }

  /** Ends the waits of attempts that have settled. */
  look(runs: ReadonlySet<string>): void {
    for (const [id, { run }] of this.#attempts) {
      if (runs.has(run) && this.#parts.store.attempt(id)?.attempt.state === 'settled') this.#forget(id);
    }
  }

  /** Restores expiries for agents that outlived an earlier process. */
  recover(): void {
    for (const { attempt, run, chain } of this.#parts.store.openAttempts()) {
      for (const { subject, state, openedAt } of this.#parts.store.spine(run)?.interactions ?? []) {
        if (state !== 'open' || !('key' in subject) || subject.attempt !== attempt.id) continue;
        const place = { run, chain, attempt: attempt.id };
        const print = subject.type === 'agent_permission' ? subject.permission.mark : null;
        const asked: Asked = { print, opened: Promise.resolve(), listeners: new Set(), answer: null, timer: undefined };
        this.#attemptAt(place).asked.set(subject.key, asked);
        this.#expireAt(openedAt + this.#answerWithinMs(place.attempt), place, subject.key, asked);
      }
    }
  }

  get size(): number {
    return this.#attempts.size;
  }

  close(): void {
    this.#isClosed = true;
    for (const { asked } of this.#attempts.values()) {
      for (const one of asked.values()) {
        clearTimeout(one.timer);
        for (const listen of [...one.listeners]) listen();
      }
    }
    this.#attempts.clear();
  }

  #open(place: Place, asking: AgentQuestion, print: string): Asked {
    const { key } = asking;
    const { asked: all } = this.#attemptAt(place);
    const open = [...all.values()].filter(({ answer }) => answer === null).length;
    if (open >= maxOpen || all.size >= maxAsked) {
      throw new BosunError('limit', `This attempt asks too many questions: ${open} open, ${all.size} in all`, {
        hint: `One attempt may have ${maxOpen} open at a time and ask ${maxAsked} in all.`,
      });
    }
    const asked: Asked = { print, opened: Promise.resolve(), listeners: new Set(), answer: null, timer: undefined };
    all.set(key, asked);
    asked.opened = this.#submit(place, asking, asked).catch((error: unknown) => {
      all.delete(key);
      if (all.size === 0) this.#attempts.delete(place.attempt);
      throw error;
    });
    return asked;
  }

  async #submit(place: Place, { key, ask, token }: AgentQuestion, asked: Asked): Promise<void> {
    const { now, submit, store, redactOf } = this.#parts;
    const { run, chain, attempt } = place;
    if (ask.kind === 'permission') {
      const why = whyRefused(ask, store.jobs.payload(attempt)?.access ?? 'write');
      if (why !== null) {
        asked.answer = { kind: 'denied', by: 'Bosun', why };
        return;
      }
    }
    const expiresAt = now() + this.#answerWithinMs(attempt);
    const said = shownAsk(ask, redactOf(token));
    if (said === null) {
      asked.answer = { kind: 'denied', by: 'Bosun', why: hiddenWork };
      return;
    }
    const { ignored } = await submit((then) => ({
      ...emptyPlan,
      events: [{ type: 'agent_asked', run, chain, at: then.at, attempt, key, ask: said, waitsUntil: expiresAt }],
    }));
    if (ignored[0] === 'superseded') asked.answer = { kind: 'expired' };
    this.#expireAt(expiresAt, place, key, asked);
  }

  #expireAt(at: number, place: Place, key: string, asked: Asked): void {
    if (asked.answer !== null || this.#isClosed) return;
    const expire = () =>
      this.#expire(place, key, asked).catch((error: unknown) => {
        this.#parts.onError(error);
        // No timer fires after the close, and the agent must not wait forever.
        this.#answer(place.attempt, asked, { kind: 'expired' });
      });
    asked.timer = setTimeout(expire, Math.max(0, at - this.#parts.now()));
    asked.timer.unref();
    this.#tellQueue(place.attempt);
  }

  async #expire({ run, chain, attempt }: Place, key: string, asked: Asked): Promise<void> {
    if (asked.answer !== null || this.#isClosed) return;
    await this.#parts.submit((now) => ({
      ...emptyPlan,
      events: [{ type: 'ask_expired', run, chain, at: now.at, attempt, key }],
    }));
    // The interaction was closed elsewhere.
    if (asked.answer === null) this.#answer(attempt, asked, { kind: 'expired' });
  }

  #answer(attempt: string, asked: Asked, answer: AgentAnswer): void {
    if (asked.answer !== null) return;
    asked.answer = answer;
    clearTimeout(asked.timer);
    for (const listen of [...asked.listeners]) listen();
    this.#tellQueue(attempt);
  }

  #tellQueue(attempt: string): void {
    const asking = this.#attempts.get(attempt);
    if (!asking) return;
    const isWaiting = [...asking.asked.values()].some(({ answer, timer }) => answer === null && timer !== undefined);
    if (isWaiting === asking.isWaiting) return;
    asking.isWaiting = isWaiting;
    this.#parts.queue.wait(attempt, isWaiting).catch(this.#parts.onError);
  }

  #forget(attempt: string): void {
    for (const asked of this.#attempts.get(attempt)?.asked.values() ?? []) {
      if (asked.answer === null) this.#answer(attempt, asked, { kind: 'expired' });
    }
    this.#attempts.delete(attempt);
  }

  #waitForAnswer(asked: Asked, waitMs: number, gone: AbortSignal | undefined): Promise<AgentQuestionAnswer> {
    const now = (): AgentQuestionAnswer => asked.answer ?? { kind: 'waiting' };
    if (asked.answer !== null || this.#isClosed || gone?.aborted === true) return Promise.resolve(now());
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        asked.listeners.delete(done);
        gone?.removeEventListener('abort', done);
        resolve(now());
      };
      const timer = setTimeout(done, waitMs);
      asked.listeners.add(done);
      gone?.addEventListener('abort', done, { once: true });
    });
  }

  #attemptAt({ attempt, run, chain }: Place): AskingAttempt {
    const known = this.#attempts.get(attempt);
    if (known) return known;
    const asking: AskingAttempt = { run, chain, asked: new Map(), isWaiting: false };
    this.#attempts.set(attempt, asking);
    return asking;
  }

  #answerWithinMs(attempt: string): number {
    return answerWithinMsOf(this.#parts.store.jobs.payload(attempt)?.executor ?? null);
  }
}

export function answerWithinMsOf(executor: ExecutorConfig | null): number {
  return (executor !== null && 'answerWithinMs' in executor ? executor.answerWithinMs : null) ?? usualAnswerWithinMs;
}

const maxOptions = 10;
const maxOptionChars = 200;

/** Null: redaction would hide part of the call's effect. */
function shownAsk(ask: OpenAgentQuestion, redact: Redact): Ask | null {
  if (ask.kind === 'question') return redacted(questionAsk(ask), redact);
  const { tool, input, reason = '' } = ask;
  // Redact before truncating: the redactor misses a secret that was cut.
  const bare = redacted(input, redact);
  const whole = permissionAsk({ tool, input: bare, reason: redact(reason) }, permissionMark(tool, input));
  const said = redacted(whole, redact);
  const isHidden = hidesWork(JSON.stringify(input), JSON.stringify(bare)) || hidesWork(whole.text, said.text);
  return isHidden ? null : said;
}

function questionAsk({ text, options }: Extract<OpenAgentQuestion, { kind: 'question' }>): Ask {
  const labels = options.map((one) => oneLine(one).slice(0, maxOptionChars)).filter((one) => one !== '');
  const offered = [...new Set(labels)].slice(0, maxOptions);
  return { kind: 'question', text: text.trim(), options: offered, permission: null };
}

function printOf(ask: OpenAgentQuestion): string {
  if (ask.kind === 'permission') return permissionMark(ask.tool, ask.input);
  return createHash('sha256')
    .update(JSON.stringify([ask.text, ask.options]))
    .digest('hex');
}
