// What a run has been through, in lines that are the same wherever it was talked about: without times, without places,
// without names of attempts.

import type { Event } from '../../../src/engine/index.js';
import type { StoredEvent } from '../../../src/store/index.js';
import type { Bosun } from './bosun.js';
import type { Place } from './place.js';

const maxEvents = 1_000;

/** All runs of the home, the oldest first. */
export function historyOf(bosun: Bosun): readonly string[] {
  const { store } = bosun.app.runtime;
  const runs = [...store.runs('shop', 20, null)].sort((a, b) => a.number - b.number);
  return [
    ...runs.flatMap(({ id, status, task, createdBy }) => [
      ...decided(store.events(id, 0, maxEvents)).map((event) => `${id} event ${told(event, store)}`),
      ...store.records(id).map(({ by, chain, record }) => `${id} record ${plain({ by, chain, record })}`),
      ...store
        .nodes(id)
        .map(
          ({ template, state, generation, attempt, last }) =>
            `${id} node ${plain({ template, state, generation, attempt, outcome: last?.outcome ?? null })}`,
        ),
      `${id} ${plain({ status, task, createdBy })}`,
    ]),
    ...bosun
      .git('log', '--format=%s', '--reverse')
      .split('\n')
      .map((line) => `commit ${line}`),
  ];
}

/**
 * A press on "Request changes" only asks for its words where no window asks for them before it is sent: it decides
 * nothing, and the answer comes after it.
 */
function decided(stored: readonly StoredEvent[]): readonly Event[] {
  const events = stored.map(({ event }) => event);
  const answers = events.filter((event) => event.type === 'answered');
  const isLast = ({ interaction }: { interaction: string }, event: Event) =>
    answers.findLast((one) => one.interaction === interaction) === event;
  return events.filter((event) => event.type !== 'answered' || event.text !== null || isLast(event, event));
}

/** What everybody has read in the end, in no order: each chat has a pace of its own, and what merely tells waits. */
export function readIn(place: Place): readonly string[] {
  const texts = place
    .seen()
    .map((one) => ({ ...one, words: withoutProgress(one.words) }))
    .filter(({ words }) => words !== '' && !/\nReply to this message, for |^shop: starting /.test(words))
    .filter(({ words }) => !onlyInTerminal.test(words));
  const anyTime = (words: string) =>
    words
      .replace(/\d\d:\d\d, (?:terminal|Telegram|Slack)/g, '<when and where>')
      .replace(/took \d.*/g, 'took <so long>')
      .replace(/ · \d+ s$/gm, ' · <so long>')
      .replace(/commit [0-9a-f]+/g, 'commit <hash>')
      .replace(/ · [0-9a-f]{8}$/gm, ' · <hash>')
      .replace(/^Aborted by .*, <when and where>\n/m, '');
  return texts.map(({ words, buttons }) => [anyTime(words), ...buttons.map((one) => `[${one}]`)].join(' | ')).sort();
}

/** A chat platform says it in a toast, or on the card that was answered. */
const onlyInTerminal = /^Too late: |^shop: aborted\.$|^⏹ Aborted · .*\nshop\nby /;

/** A step that runs is shown below a card, or in a message of its own, which then is empty. */
function withoutProgress(words: string): string {
  if (!isProgress(words)) return words;
  if (/^(?:\w+: |Working · )/.test(words)) return '';
  const all = words.split('\n');
  return all
    .slice(
      0,
      all.findIndex((line) => /^[▶✓✗] /.test(line)),
    )
    .join('\n');
}

/** It has the chain as a bar. */
function isProgress(words: string): boolean {
  return words.split('\n').some((line) => /^[·○▶?✓✗–■] \w+ {2}/.test(line));
}

function told(event: Event, store: Bosun['app']['runtime']['store']): string {
  const named = 'attempt' in event && event.attempt !== undefined ? store.attempt(event.attempt) : null;
  const attempt = named && { node: named.node, dispatch: named.attempt.number, outcome: named.attempt.outcome };
  const { type, ...rest } = event;
  return `${type} ${plain({ ...rest, ...(attempt && { attempt }) })}`;
}

/** What differs from one play to the next, and tells nothing of what happened. */
const passing: ReadonlySet<string> = new Set([
  ...['at', 'where', 'home', 'snapshot', 'worker', 'envelope', 'purse', 'run'],
  ...['durationMs', 'duration_ms', 'startedAt', 'endedAt', 'commit', 'base', 'checkpoint', 'delivered'],
]);

function plain(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (passing.has(key) ? undefined : inner));
}

export interface Told {
  readonly name: string;
  readonly lines: readonly string[];
}

/** Empty where all are the same; else what each lacks of the first one, and what it has besides, in its place. */
export function unlike([first, ...others]: readonly Told[]): string {
  if (!first) return '';
  return others
    .map(({ name, lines }) => ({ name, marked: compared(first.lines, lines) }))
    .filter(({ marked }) => marked.some((line) => !line.startsWith('  ')))
    .map(({ name, marked }) => [`${first.name} (-) and ${name} (+):`, ...around(marked)].join('\n'))
    .join('\n\n');
}

const linesAround = 2;

function around(marked: readonly string[]): readonly string[] {
  const isNear = (at: number) =>
    marked.slice(Math.max(0, at - linesAround), at + linesAround + 1).some((line) => !line.startsWith('  '));
  return marked.filter((_, at) => isNear(at));
}

/** By the longest that both have in common. */
function compared(a: readonly string[], b: readonly string[]): readonly string[] {
  const common = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = common[i] ?? [];
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const marked: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      marked.push(`  ${a[i]}`);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      marked.push(`- ${a[i]}`);
      i += 1;
    } else {
      marked.push(`+ ${b[j]}`);
      j += 1;
    }
  }
  return marked;
}
