import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import {
  apply,
  type Chain,
  type Event,
  emptyWorld,
  type State,
  type Workflow,
  type World,
} from '../../engine/index.js';
import type { HistoryReader, HomeReader, RunReader } from '../../store/index.js';
import { eventsOf } from './read-run.js';
import { budgetProblems } from './verify-budgets.js';

/** A running Bosun may write between reads. */
const maxLooks = 3;

/** Empty: the run is sound. */
export function findProblems(store: HistoryReader & RunReader, run: string): readonly string[] {
  let found: readonly string[] = [];
  for (let look = 0; look < maxLooks; look += 1) {
    const seen = lookOnce(store, run);
    found = seen.problems;
    if (found.length === 0 || store.events(run, seen.lastSeq, 1).length === 0) break;
  }
  return found;
}

interface Replay {
  readonly world: World;
  readonly lastSeq: number;
  /** Attempts by people's own agents, counted but not limited. */
  readonly byHand: number;
  readonly broken: string | null;
}

function lookOnce(
  store: HistoryReader & RunReader,
  run: string,
): { readonly problems: readonly string[]; readonly lastSeq: number } {
  const spine = store.spine(run);
  if (!spine) return { problems: ['it no longer exists'], lastSeq: 0 };
  const replay = replayed(store, run, spine.workflow);
  const { lastSeq, broken, world } = replay;
  if (broken !== null) return { problems: [broken], lastSeq };
  if (world.state === null) return { problems: ['no event created it'], lastSeq };
  const problems = [
    ...compareSpine(store, world.state, spine),
    ...[...world.chains.values()].flatMap((chain) => compareChain(store, run, chain)),
    ...budgetProblems(world, replay.byHand),
    ...checkAttempts(store, run, world),
  ];
  return { problems, lastSeq };
}

function replayed(store: HistoryReader, run: string, workflow: Workflow): Replay {
  let world = emptyWorld;
  let lastSeq = 0;
  let byHand = 0;
  for (const { seq, event } of eventsOf(store, run)) {
    const next = applied(world, event, workflow);
    if (typeof next === 'string')
      return { world, lastSeq: seq, byHand, broken: `event ${seq} (${event.type}) cannot be replayed: ${next}` };
    world = next;
    lastSeq = seq;
    if (event.type === 'reported') byHand += 1;
  }
  return { world, lastSeq, byHand, broken: null };
}

function applied(world: World, event: Event, workflow: Workflow): World | string {
  try {
    return apply(world, event, workflow).world;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

type StoredSpine = NonNullable<ReturnType<HomeReader['spine']>>;

function compareSpine(store: RunReader, state: State, stored: StoredSpine): readonly string[] {
  const run = state.run.id;
  const open = state.interactions.filter((one) => one.state === 'open');
  const others = state.interactions.filter((one) => one.state !== 'open');
  return [
    ...differences('the run', state.run, stored.run),
    ...compareLists('item', state.items, stored.items, (item) => item.key),
    ...compareLists('open interaction', open, stored.interactions, (one) => one.id),
    ...others.flatMap((one) =>
      differences(`interaction ${one.id}`, one, store.interaction(one.id)?.interaction ?? null),
    ),
    ...store
      .openInteractions(state.run.project)
      .filter((one) => one.run === run && !open.some(({ id }) => id === one.interaction.id))
      .map((one) => `interaction ${one.interaction.id} is stored as open, but its events closed it`),
  ];
}

function compareChain(store: RunReader, run: string, chain: Chain): readonly string[] {
  const stored = store.chain(run, chain.key);
  const where = chain.key === '' ? '' : `${chain.key} `;
  if (stored === null) return chain.nodes.length === 0 ? [] : [`${where || 'its own '}chain is not stored`];
  const { nodes, ...rest } = chain;
  const { nodes: storedNodes, ...storedRest } = stored;
  return [
    ...differences(`${where}chain`, rest, storedRest),
    ...compareLists(`${where}node`, nodes, storedNodes, (node) => node.label),
  ];
}

function compareLists<T extends object>(
  what: string,
  expected: readonly T[],
  stored: readonly T[],
  keyOf: (value: T) => string,
): readonly string[] {
  const known = new Map(stored.map((one) => [keyOf(one), one]));
  const wanted = new Set(expected.map(keyOf));
  return [
    ...expected.flatMap((one) => differences(`${what} ${keyOf(one)}`, one, known.get(keyOf(one)) ?? null)),
    ...stored
      .filter((one) => !wanted.has(keyOf(one)))
      .map((one) => `${what} ${keyOf(one)} is stored, but no event created it`),
  ];
}

function differences(what: string, expected: object, stored: object | null): readonly string[] {
  if (stored === null) return [`${what} is not stored`];
  const [wanted, found] = [plain(expected), plain(stored)];
  const keys = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  return [...keys]
    .filter((key) => !isDeepStrictEqual(wanted[key], found[key]))
    .map((key) => `${what}: ${key} is stored as ${shown(found[key])}, but its events give ${shown(wanted[key])}`);
}

function plain(value: object): Readonly<Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(JSON.stringify(value)));
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'absent').slice(0, 80);
}

/** Each dispatch has a row, and only a live attempt may be unsettled. */
function checkAttempts(store: RunReader, run: string, { chains }: World): readonly string[] {
  return [...chains.values()].flatMap((chain) =>
    chain.nodes.flatMap((node) => {
      const rows = store.attempts(run, node.id);
      const open = rows.filter((row) => row.attempt.state !== 'settled' && row.attempt.id !== node.live?.id);
      return [
        ...(rows.length === node.dispatches
          ? []
          : [`node ${node.label}: ${node.dispatches} dispatches but ${rows.length} attempts`]),
        ...open.map((row) => `attempt ${row.attempt.id} is ${row.attempt.state}, but its node no longer refers to it`),
      ];
    }),
  );
}
