// Sums usage over the attempt's threads.
import type { AgentEvent, AgentSeat, Usage } from '../../port.js';
import { type Json, numberAt, objectAt, textAt } from '../../shared/foreign-json.js';
import { resumedSession } from '../../shared/seat.js';
import { noTokens, plus, type Tokens, usageOf } from '../../shared/usage.js';
import { believed, minus, readThreadTotal, type ThreadTotal, writeThreadTotal } from '../thread-usage.js';

/** Each thread counts from its beginning, even when resumed. */
export class ThreadTokens {
  readonly #seat: AgentSeat;
  readonly #before: ThreadTotal;
  readonly #threads = new Map<string, { readonly before: Tokens; readonly now: Tokens }>();
  #usage: Usage | null = null;

  constructor(seat: AgentSeat) {
    this.#seat = seat;
    const resumed = resumedSession(seat);
    this.#before = resumed === null ? { ...noTokens, hasTools: false } : readThreadTotal(seat, resumed);
  }

  /** Threads of `codex exec` never get Bosun's tools. */
  get hasTools(): boolean {
    return resumedSession(this.#seat) === null || this.#before.hasTools;
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  started(thread: string): void {
    if (resumedSession(this.#seat) !== null) this.#threads.set(thread, { before: this.#before, now: this.#before });
  }

  count(params: Json | null): readonly AgentEvent[] {
    const thread = textAt(params, 'threadId');
    const now = tokensIn(objectAt(objectAt(params, 'tokenUsage'), 'total'));
    if (thread === null || now === null) return [];
    const before = believed(this.#threads.get(thread)?.before ?? noTokens, now);
    this.#threads.set(thread, { before, now });
    const sum = [...this.#threads.values()].map((one) => minus(one.now, one.before)).reduce(plus, noTokens);
    this.#usage = usageOf(sum, null, this.#seat.executor.prices);
    return [{ type: 'usage', ...this.#usage }];
  }

  /** The attempt that resumes the thread reads it. */
  store(thread: string): void {
    const own = this.#threads.get(thread)?.now ?? this.#before;
    writeThreadTotal(this.#seat, thread, { ...own, hasTools: this.hasTools });
  }
}

function tokensIn(total: Json | null): Tokens | null {
  const [input, output] = [numberAt(total, 'inputTokens'), numberAt(total, 'outputTokens')];
  if (input === null || output === null) return null;
  const cached = Math.min(input, numberAt(total, 'cachedInputTokens') ?? 0);
  return { fresh: input - cached, cached, output };
}
