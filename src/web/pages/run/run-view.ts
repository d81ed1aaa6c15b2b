// The present from the store, the past from a replay.

import {
  definitions,
  hasBody,
  type Interaction,
  type Item,
  type Node,
  type NodeDef,
  type World,
} from '../../../engine/index.js';
import type { HomeReader, Spine } from '../../../store/index.js';
import type { Said } from '../shared/status.js';

/** Part of a chain, with the length of the whole. */
export interface Stretch {
  readonly nodes: readonly Node[];
  readonly from: number;
  readonly count: number;
}

export interface RunView {
  readonly spine: Spine;
  readonly defs: ReadonlyMap<string, NodeDef>;
  stretch(chain: string): Stretch;
  /** False for the past: attempts may have changed since. */
  readonly hasAttempts: boolean;
  readonly saidOf: (asked: Interaction) => Said;
}

/** In the past no one is asked any more. */
const wasAsked: Said = { tone: 'wait', word: 'waiting for a person' };

const shownNodes = 40;
const shownBefore = 5;

interface Present {
  /** Null: around the present. */
  readonly from: number | null;
  readonly saidOf: RunView['saidOf'];
}

export function presentView(reader: Pick<HomeReader, 'browsing'>, spine: Spine, { from, saidOf }: Present): RunView {
  const { id } = spine.run;
  const known = new Map<string, Stretch>();
  const read = (chain: string): Stretch => {
    const { count, over } = reader.browsing.chainLength(id, chain);
    const start = chain === '' && from !== null ? from : over - shownBefore;
    const first = Math.max(0, Math.min(start, count - shownNodes));
    return { nodes: reader.browsing.chainNodes(id, chain, first, shownNodes), from: first, count };
  };
  return {
    spine,
    defs: defsOf(spine),
    stretch: (chain) => kept(known, chain, read),
    hasAttempts: true,
    saidOf,
  };
}

export function pastView(spine: Spine, world: World): RunView | null {
  const { state } = world;
  if (state === null) return null;
  const past: Spine = { ...spine, run: state.run, items: state.items, interactions: state.interactions };
  return {
    spine: past,
    defs: defsOf(spine),
    stretch(chain) {
      const { nodes = [] } = world.chains.get(chain) ?? {};
      const over = nodes.filter(({ state: is }) => is === 'passed' || is === 'skipped').length;
      const first = Math.max(0, Math.min(over - shownBefore, nodes.length - shownNodes));
      return { nodes: nodes.slice(first, first + shownNodes), from: first, count: nodes.length };
    },
    hasAttempts: false,
    saidOf: () => wasAsked,
  };
}

/** The loops' word for an item: singular and plural. */
export function itemNouns(defs: readonly (NodeDef | undefined)[]): readonly [one: string, many: string] {
  return defs.length > 0 && defs.every((def) => def && hasBody(def) && def.over === 'phases')
    ? ['phase', 'phases']
    : ['story', 'stories'];
}

export function nounsOf({ workflow, items }: Pick<Spine, 'workflow' | 'items'>): readonly [one: string, many: string] {
  const templates = new Set(items.map(({ template }) => template));
  return itemNouns(definitions(workflow).filter(({ id }) => templates.has(id)));
}

export function defsOf({ workflow }: Pick<Spine, 'workflow'>): ReadonlyMap<string, NodeDef> {
  return new Map(definitions(workflow).map((def) => [def.id, def]));
}

function kept(known: Map<string, Stretch>, chain: string, read: (chain: string) => Stretch): Stretch {
  const before = known.get(chain);
  if (before !== undefined) return before;
  const stretch = read(chain);
  known.set(chain, stretch);
  return stretch;
}

export const shownItems = 24;

/** From an index, else around the first unfinished. */
export function itemsShown(
  items: readonly Item[],
  from: number | null,
): { readonly items: readonly Item[]; readonly from: number } {
  const ordered = [...items].sort((a, b) => a.order - b.order);
  const open = ordered.findIndex(({ status }) => status !== 'done' && status !== 'cancelled');
  const start = from ?? (open === -1 ? 0 : open - 3);
  const first = Math.max(0, Math.min(start, ordered.length - shownItems));
  return { items: ordered.slice(first, first + shownItems), from: first };
}

/** After all dependencies. A cycle, which the engine rejects, comes last. */
export function wavesOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const keys = new Set(items.map(({ key }) => key));
  const waves: Item[][] = [];
  const placed = new Set<string>();
  let left = [...items];
  while (left.length > 0) {
    const next = left.filter(({ dependsOn }) => dependsOn.every((key) => placed.has(key) || !keys.has(key)));
    const wave = next.length > 0 ? next : left;
    waves.push(wave);
    for (const { key } of wave) placed.add(key);
    left = left.filter(({ key }) => !placed.has(key));
  }
  return waves;
}
