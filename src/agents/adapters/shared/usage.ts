import type { AgentConfig } from '../../../jobs/index.js';
import type { Usage } from '../port.js';

export interface Tokens {
  readonly fresh: number;
  readonly cached: number;
  readonly output: number;
}

const million = 1_000_000;

export const noTokens: Tokens = { fresh: 0, cached: 0, output: 0 };

export function plus(one: Tokens, other: Tokens): Tokens {
  return {
    fresh: one.fresh + other.fresh,
    cached: one.cached + other.cached,
    output: one.output + other.output,
  };
}

/** `told`: the agent's own figure, which outranks configured prices. */
export function usageOf(tokens: Tokens, told: number | null, prices: AgentConfig['prices']): Usage {
  const { fresh, cached, output } = tokens;
  const costUsd =
    told ??
    (prices === null ? null : (fresh * prices.input + cached * prices.cached + output * prices.output) / million);
  return { costUsd, tokensIn: fresh + cached, tokensOut: output };
}

/** Sums over the attempt's processes; at the limit it stops them all. */
export class UsageTally {
  readonly #limitUsd: number | null;
  readonly #report: (sum: Usage) => void;
  readonly #spent: (Usage | null)[] = [];
  readonly #stops = new Set<() => void>();

  constructor(limitUsd: number | null, report: (sum: Usage) => void) {
    this.#limitUsd = limitUsd;
    this.#report = report;
  }

  get leftUsd(): number | null {
    return this.#limitUsd === null ? null : Math.max(0, this.#limitUsd - (this.sum()?.costUsd ?? 0));
  }

  get isOver(): boolean {
    return this.#limitUsd !== null && (this.sum()?.costUsd ?? 0) >= this.#limitUsd;
  }

  /** `stop` ends the process when the shared budget is spent. */
  open(stop: () => void): { note(usage: Usage): void; close(): void } {
    const place = this.#spent.push(null) - 1;
    this.#stops.add(stop);
    return {
      note: (usage) => {
        this.#spent[place] = usage;
        const sum = this.sum();
        if (sum !== null) this.#report(sum);
        if (this.isOver) for (const each of this.#stops) each();
      },
      close: () => {
        this.#stops.delete(stop);
      },
    };
  }

  sum(): Usage | null {
    const told = this.#spent.filter((one) => one !== null);
    if (told.length === 0) return null;
    const costs = told.flatMap(({ costUsd }) => costUsd ?? []);
    return {
      costUsd: costs.length === 0 ? null : costs.reduce((sum, one) => sum + one, 0),
      tokensIn: told.reduce((sum, one) => sum + one.tokensIn, 0),
      tokensOut: told.reduce((sum, one) => sum + one.tokensOut, 0),
    };
  }
}
