// Counts commits as they happen, so a scrape never reads the history.
import type { Committed } from '../../dispatch/index.js';
import type { State } from '../../engine/index.js';
import type { CountRows, Sum } from '../../store/index.js';
import { Counter, grouped, Histogram, seriesOf } from './counter.js';
import { counters, type Metric, type Sample } from './text.js';

const secondsBounds = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const sizeBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const durationBounds = [1, 10, 60, 300, 900, 1_800, 3_600, 7_200, 14_400];

export class CommitTally {
  readonly #counts: Pick<CountRows, 'spent'>;
  readonly #events = new Counter();
  readonly #attempts = new Counter();
  readonly #plans = new Counter();
  readonly #flushSeconds = new Histogram(secondsBounds);
  readonly #flushEvents = new Histogram(sizeBounds);
  readonly #attemptSeconds = new Histogram(durationBounds);
  /** Null until the first scrape. */
  #spent: Map<string, Sum> | null = null;

  constructor(counts: Pick<CountRows, 'spent'>) {
    this.#counts = counts;
  }

  note({ batch, plans, seconds }: Committed): void {
    this.#plans.add({}, plans);
    this.#flushSeconds.note(seconds);
    this.#flushEvents.note(batch.events.length);
    for (const { type } of batch.events) this.#events.add({ type });
    for (const { before, after } of batch.states) this.#noteAttempts(before, after);
    for (const { project, usd, tokensIn, tokensOut } of batch.spent ?? []) {
      const sum = this.#spent?.get(project) ?? nothing;
      this.#spent?.set(project, added(sum, { usd, tokensIn, tokensOut }));
    }
  }

  metrics(projects: readonly string[]): readonly Metric[] {
    this.#spent ??= new Map(this.#counts.spent().map(({ project, ...sum }) => [project, sum]));
    const spent = [...this.#spent].map(([project, sum]) => ({ project, sum }));
    const sums = grouped(projects, spent).map(({ project, rows }) => {
      return { project, sum: rows.reduce((all, { sum }) => added(all, sum), nothing) };
    });
    return [
      counters('bosun_transitions_total', 'Events that were decided and committed, by type.', this.#events.samples),
      counters('bosun_flush_plans_total', 'Plans committed in flushes.', whole(this.#plans)),
      this.#flushSeconds.metric('bosun_flush_seconds', 'From the first decision of a flush until it is on disk.'),
      this.#flushEvents.metric('bosun_flush_events', 'Events in one flush.'),
      counters('bosun_attempts_total', 'Finished attempts, by outcome.', this.#attemptsOf(projects)),
      this.#attemptSeconds.metric('bosun_attempt_seconds', 'Duration of attempts.'),
      counters(
        'bosun_cost_usd_total',
        'Cost of attempts, as far as agents reported it.',
        sums.map(({ project, sum }) => ({ labels: { project }, value: sum.usd })),
      ),
      counters(
        'bosun_tokens_total',
        'Tokens used by attempts, as far as agents reported them.',
        sums.flatMap(({ project, sum }) => [
          { labels: { project, direction: 'in' }, value: sum.tokensIn },
          { labels: { project, direction: 'out' }, value: sum.tokensOut },
        ]),
      ),
    ];
  }

  #noteAttempts(before: State | null, { run, chain }: State): void {
    const known = before?.chain.nodes ?? [];
    for (const [index, node] of chain.nodes.entries()) {
      const { last } = node;
      // Fast path: an unchanged node is the same object, mostly in place.
      if (last === null || known[index] === node) continue;
      if (known.find(({ id }) => id === node.id)?.last?.id === last.id) continue;
      this.#attempts.add({ project: run.project, outcome: last.outcome ?? 'unknown' });
      if (last.startedAt !== null && last.endedAt !== null) {
        this.#attemptSeconds.note(Math.max(0, last.endedAt - last.startedAt) / 1000);
      }
    }
  }

  /** Removed projects share one series. */
  #attemptsOf(projects: readonly string[]): readonly Sample[] {
    const seriesFor = seriesOf(projects);
    const grouping = new Counter();
    for (const { labels, value } of this.#attempts.samples)
      grouping.add({ ...labels, project: seriesFor(labels?.['project'] ?? '') }, value);
    return grouping.samples;
  }
}

const nothing: Sum = { usd: 0, tokensIn: 0, tokensOut: 0 };

function added(a: Sum, b: Sum): Sum {
  return { usd: a.usd + b.usd, tokensIn: a.tokensIn + b.tokensIn, tokensOut: a.tokensOut + b.tokensOut };
}

function whole({ samples }: Counter): readonly Sample[] {
  return samples.length > 0 ? samples : [{ value: 0 }];
}
