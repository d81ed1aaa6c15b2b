// Converts engine values to row bodies and back.

import { type Attempt, type Chain, type Interaction, type Node, readSkipReason } from '../../engine/index.js';
import { type Body, parsed } from '../file/json-column.js';
import type { AttemptRow } from './run-types.js';

export interface NodeRow extends Body {
  readonly chain: string;
  readonly live: string | null;
  readonly last: string | null;
}

/** A node's attempts have their own rows, so they are left out. */
export function nodeBody(node: Node): string {
  return JSON.stringify({ ...node, live: undefined, last: undefined });
}

export function nodeOf(row: NodeRow): Node {
  const node = parsed<Omit<Node, 'live' | 'last'>>(row.body);
  return {
    ...node,
    skipReason: readSkipReason(node.skipReason),
    live: row.live === null ? null : parsed<Attempt>(row.live),
    last: row.last === null ? null : parsed<Attempt>(row.last),
  };
}

export interface AttemptData extends Body {
  readonly run: string;
  readonly chain: string;
  readonly node: string;
  readonly checkpoint: string | null;
}

export function attemptOf({ run, chain, node, checkpoint, body }: AttemptData): AttemptRow {
  return { run, chain, node, checkpoint, attempt: parsed<Attempt>(body) };
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

/** A chain's nodes have their own rows, so they are left out. */
export function chainBody(chain: Chain): string {
  return JSON.stringify({ ...chain, nodes: undefined });
}

export function chainOf(body: string, nodes: readonly Node[]): Chain {
  return { ...parsed<Omit<Chain, 'nodes'>>(body), nodes };
}
