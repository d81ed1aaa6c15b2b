import type { Labels, Metric, Sample } from './text.js';

const maxSeries = 500;
const rest = 'other';

export class Counter {
  readonly #series = new Map<string, { readonly labels: Labels; value: number }>();

  add(labels: Labels, by = 1): void {
    const key = JSON.stringify(labels);
    const known = this.#series.get(key);
    if (known) known.value += by;
    else if (this.#series.size < maxSeries) this.#series.set(key, { labels, value: by });
    else this.#addToRest(labels, by);
  }

  get samples(): readonly Sample[] {
    return [...this.#series.values()];
  }

  #addToRest(labels: Labels, by: number): void {
    const others = Object.fromEntries(Object.keys(labels).map((label) => [label, rest]));
    const key = JSON.stringify(others);
    const known = this.#series.get(key) ?? { labels: others, value: 0 };
    known.value += by;
    this.#series.set(key, known);
  }
}

export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  note(value: number): void {
    this.#sum += value;
    this.#count += 1;
    const at = this.#bounds.findIndex((bound) => value <= bound);
    if (at !== -1) this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  metric(name: string, help: string): Metric {
    let below = 0;
    const buckets = this.#bounds.map((bound, index) => {
      below += this.#counts[index] ?? 0;
      return { suffix: '_bucket', labels: { le: String(bound) }, value: below };
    });
    const whole = [
      { suffix: '_bucket', labels: { le: '+Inf' }, value: this.#count },
      { suffix: '_sum', value: this.#sum },
      { suffix: '_count', value: this.#count },
    ];
    return { name, type: 'histogram', help, samples: [...buckets, ...whole] };
  }
}

/** Configured projects have a series each up to a limit. */
export function seriesOf(names: readonly string[]): (project: string) => string {
  const own = new Set(names.slice(0, maxSeries));
  return (project) => (own.has(project) ? project : rest);
}

/** Configured ones always, the shared group only with rows. */
export function grouped<T extends { readonly project: string }>(
  names: readonly string[],
  rows: readonly T[],
): readonly { readonly project: string; readonly rows: readonly T[] }[] {
  const groups = new Map<string, T[]>(names.slice(0, maxSeries).map((name) => [name, []]));
  const seriesFor = seriesOf(names);
  for (const row of rows) {
    const project = seriesFor(row.project);
    groups.set(project, [...(groups.get(project) ?? []), row]);
  }
  return [...groups].map(([project, own]) => ({ project, rows: own }));
}
