// The chain in a column, fragments beside it, routes back left, into fragments right.
import {
  hasBody,
  innerNodes,
  insertsOf,
  type LoopDef,
  type NodeDef,
  nodeKinds,
  noteOf,
  type Route,
  routesOf,
  type Workflow,
} from '../../../engine/index.js';

export interface Box {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly tone: 'quiet' | 'ok' | 'wait' | 'run';
  readonly shape: 'box' | 'stadium' | 'hexagon' | 'diamond' | 'end';
  readonly x: number;
  readonly y: number;
}

export interface FrameBox {
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Edge {
  readonly from: Box;
  readonly to: Box | FrameBox;
  readonly label: string;
  /** `on`: forward; `back`: back or around; `insert`: into a fragment. */
  readonly kind: 'on' | 'back' | 'insert';
}

export interface Graph {
  readonly boxes: readonly Box[];
  readonly frames: readonly FrameBox[];
  readonly edges: readonly Edge[];
  readonly width: number;
  readonly height: number;
}

export const boxSize = { width: 190, height: 46 } as const;
const gapY = 26;
const leftX = 130;
const rightX = leftX + boxSize.width + 190;
const pad = 14;
const head = 26;
const maxBoxes = 400;
const end = { tone: 'quiet', shape: 'end' } as const;

export function graphOf(workflow: Workflow): Graph {
  const drawing = new Drawing();
  const start = drawing.box(leftX, { id: 'start', title: 'start', note: '', ...end });
  const column = drawing.column(workflow.chain, leftX);
  const done = drawing.box(leftX, { id: 'done', title: 'done', note: '', ...end });
  const bottom = drawing.y;
  drawing.y = pad;
  const frames = new Map(
    Object.values(workflow.fragments).map((fragment) => {
      const own = new Map(fragment.defs.map((def) => [def.id, def]));
      const defs = fragment.nodes.map(({ template }) => ({ template, def: own.get(template) ?? null }));
      return [fragment.id, drawing.fragment(fragment.id, defs)] as const;
    }),
  );
  const all = [...workflow.chain, ...workflow.chain.flatMap(innerNodes)];
  const edges = [
    ...follow([{ first: start, last: start }, ...column, { first: done, last: done }]),
    ...workflow.chain
      .filter(hasBody)
      .flatMap(({ id, body }) => follow([id, ...body.map((one) => one.id)].flatMap((one) => drawing.placeOf(one)))),
    ...drawing.inside.flatMap(follow),
    ...all.flatMap((def) => waysOf(def, drawing, frames)),
    ...Object.values(workflow.fragments).flatMap(({ defs }) => defs.flatMap((def) => waysOf(def, drawing, frames))),
  ];
  const hasFragments = frames.size > 0;
  return {
    boxes: drawing.boxes,
    frames: drawing.frames,
    edges: merged(edges),
    width: (hasFragments ? rightX + boxSize.width + pad : leftX + boxSize.width + 90) + pad,
    height: Math.max(bottom, drawing.y) + pad,
  };
}

interface Place {
  readonly first: Box;
  readonly last: Box;
}

type NewBox = Omit<Box, 'x' | 'y'>;

class Drawing {
  readonly boxes: Box[] = [];
  readonly frames: FrameBox[] = [];
  readonly #byId = new Map<string, Box>();
  readonly inside: (readonly Place[])[] = [];
  y: number = pad;

  box(x: number, box: NewBox): Box {
    const placed = { ...box, x, y: this.y };
    if (this.boxes.length < maxBoxes) this.boxes.push(placed);
    if (!this.#byId.has(box.id)) this.#byId.set(box.id, placed);
    this.y += boxSize.height + gapY;
    return placed;
  }

  boxOf(id: string): readonly Box[] {
    const found = this.#byId.get(id);
    return found === undefined ? [] : [found];
  }

  placeOf(id: string): readonly Place[] {
    return this.boxOf(id).map((box) => ({ first: box, last: box }));
  }

  column(defs: readonly NodeDef[], x: number): readonly Place[] {
    return defs.map((def) => {
      if (hasBody(def)) return this.loop(def, x);
      const box = this.box(x, boxFor(def));
      return { first: box, last: box };
    });
  }

  loop(def: LoopDef, x: number): Place {
    const top = this.y;
    const first = this.box(x, boxFor(def));
    const body = def.body.map((inner) => this.box(x, boxFor(inner)));
    for (const inner of def.stepTypes) this.box(x, boxFor(inner));
    this.frames.push(frameAround(x, top, this.y, ''));
    this.y += pad;
    return { first, last: def.stepTypes.length > 0 ? first : (body.at(-1) ?? first) };
  }

  fragment(id: string, nodes: readonly { readonly template: string; readonly def: NodeDef | null }[]): FrameBox {
    const top = this.y;
    this.y += head;
    const boxes = nodes.map(({ template, def }) => {
      const again: NewBox = { id: `${id}/${template}`, title: template, note: 'again', tone: 'quiet', shape: 'box' };
      return this.box(rightX, def === null ? again : boxFor(def));
    });
    this.inside.push(boxes.map((box) => ({ first: box, last: box })));
    const frame = frameAround(rightX, top + pad, this.y, id);
    this.frames.push(frame);
    this.y += pad;
    return frame;
  }
}

function frameAround(x: number, top: number, bottom: number, title: string): FrameBox {
  const y = top - pad + 2;
  return { title, x: x - pad, y, width: boxSize.width + 2 * pad, height: bottom - gapY + pad - y };
}

function boxFor(def: NodeDef): NewBox {
  return {
    id: def.id,
    title: def.id,
    note: noteOf(def),
    tone: nodeKinds[def.kind].tone,
    shape: nodeKinds[def.kind].shape,
  };
}

function follow(places: readonly Place[]): readonly Edge[] {
  return places.slice(1).flatMap(({ first: to }, index) => {
    const from = places[index]?.last;
    return from === undefined ? [] : [{ from, to, label: '', kind: 'on' as const }];
  });
}

function merged(edges: readonly Edge[]): readonly Edge[] {
  const ways = new Map<string, Edge>();
  for (const edge of edges) {
    const key = `${edge.kind} ${edge.from.id} ${edge.to.x} ${edge.to.y}`;
    const before = ways.get(key);
    const isSaid = before?.label.split(', ').includes(edge.label);
    ways.set(key, before && !isSaid ? { ...before, label: `${before.label}, ${edge.label}` } : (before ?? edge));
  }
  return [...ways.values()];
}

function waysOf(def: NodeDef, drawing: Drawing, frames: ReadonlyMap<string, FrameBox>): readonly Edge[] {
  const [from] = drawing.boxOf(def.id);
  if (!from) return [];
  const routes: (readonly [string, Route])[] = routesOf(def)
    .filter(({ path }) => path.length > 2)
    .map(({ path, route }) => [path[2] ?? '', route]);
  const added = insertsOf(def)
    .filter(({ isOfGate, path }) => isOfGate || path[1] === 'on_exhausted')
    .map(({ path, insert }) => [path[2] ?? 'exhausted', insert] as const);
  return [...routes, ...added].flatMap(([word, route]): readonly Edge[] => {
    const label = word === 'default' ? 'fail' : word;
    if (route.type === 'goto') return drawing.boxOf(route.target).map((to) => ({ from, to, label, kind: 'back' }));
    const frame = route.type === 'insert' ? frames.get(route.fragment) : undefined;
    return frame === undefined ? [] : [{ from, to: frame, label, kind: 'insert' }];
  });
}
