import { type Chain, type Interaction, type Node, type Run, readSkipReason } from '../../engine/index.js';
import { type Body, parsed } from '../file/json-column.js';
import { attemptShape, chainShape, nodeShape, runShape } from './row-shapes.js';
import type { AttemptRow } from './run-types.js';

export interface NodeRow extends Body {
  readonly chain: string;
  readonly live: string | null;
  readonly last: string | null;
}

export function nodeOf(row: NodeRow): Node {
  const node = nodeShape.read(row.body);
  return {
    ...node,
    skipReason: readSkipReason(node.skipReason),
    live: row.live === null ? null : attemptShape.read(row.live),
    last: row.last === null ? null : attemptShape.read(row.last),
  };
}

export interface AttemptData extends Body {
  readonly run: string;
  readonly chain: string;
  readonly node: string;
  readonly checkpoint: string | null;
}

export function attemptOf({ run, chain, node, checkpoint, body }: AttemptData): AttemptRow {
  return { run, chain, node, checkpoint, attempt: attemptShape.read(body) };
}

export interface InteractionData extends Body {
  readonly run: string;
}

export function interactionOf({ run, body }: InteractionData): {
  readonly run: string;
  readonly interaction: Interaction;
} {
  return { run, interaction: parsed<Interaction>(body) };
}

export function chainOf(body: string, nodes: readonly Node[]): Chain {
  return { ...chainShape.read(body), nodes };
}

export function runsOf(rows: readonly Body[]): readonly Run[] {
  return rows.map(({ body }) => runShape.read(body));
}
