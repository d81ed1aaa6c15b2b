// Built from events when a run, item, attempt or wait ends: keeps nothing in memory and no texts of people or agents.

import { type Span, spanIdOf, traceIdOf } from '../../base/index.js';
import { type Attempt, type Interaction, type Item, isRunOver, type Node, type State } from '../../engine/index.js';
import type { Batch } from '../../store/index.js';

interface Change {
  readonly home: string;
  readonly before: State | null;
  readonly after: State;
  readonly at: number;
}

export function spansOf(home: string, { events, states }: Pick<Batch, 'events' | 'states'>): readonly Span[] {
  const at = new Map<string, number>();
  for (const event of events) at.set(event.run, Math.max(at.get(event.run) ?? 0, event.at));
  return states.flatMap(({ before, after }) => {
    const change = { home, before, after, at: at.get(after.run.id) ?? after.run.createdAt };
    return [...attemptsIn(change), ...waitsIn(change), ...itemsIn(change), ...runIn(change)];
  });
}

function attemptsIn(change: Change): readonly Span[] {
  const known = change.before?.chain.nodes ?? [];
  return change.after.chain.nodes.flatMap((node, index) => {
    const { last } = node;
    // Fast path: an unchanged node is the same object, mostly in place.
    if (last === null || known[index] === node) return [];
    if (known.find(({ id }) => id === node.id)?.last?.id === last.id) return [];
    return [attemptSpan(change, node, last)];
  });
}

function attemptSpan(change: Change, node: Node, attempt: Attempt): Span {
  const { after, at } = change;
  const startedAt = attempt.startedAt ?? attempt.dispatchedAt;
  return {
    ...idsOf(change, 'attempt', attempt.id),
    parentId: chainSpan(change, after.chain.key),
    name: `attempt ${node.template}`,
    startedAt,
    endedAt: attempt.endedAt ?? at,
    isError: attempt.outcome !== 'pass',
    attributes: {
      ...about(after),
      'bosun.item': after.chain.key || null,
      'bosun.node': node.id,
      'bosun.attempt': attempt.id,
      'bosun.attempt.number': attempt.number,
      'bosun.outcome': attempt.outcome,
      'bosun.reason': attempt.reason,
      'bosun.worker': attempt.worker,
      'bosun.queued_ms': Math.max(0, startedAt - attempt.dispatchedAt),
      'bosun.cost_usd': attempt.costUsd,
      'bosun.tokens_in': attempt.tokensIn,
      'bosun.tokens_out': attempt.tokensOut,
      'bosun.tests.pass': attempt.tests?.pass ?? null,
      'bosun.tests.fail': attempt.tests?.fail ?? null,
    },
  };
}

function waitsIn(change: Change): readonly Span[] {
  const open = new Set(change.before?.interactions.filter(({ state }) => state === 'open').map(({ id }) => id));
  const ended = change.after.interactions.filter(({ id, state }) => state !== 'open' && open.has(id));
  return ended.map((interaction) => waitSpan(change, interaction));
}

function waitSpan(change: Change, interaction: Interaction): Span {
  const { id, kind, subject, chain, node, state, openedAt, answer } = interaction;
  const isGate = subject.type === 'gate' || subject.type === 'gate_stuck';
  return {
    ...idsOf(change, 'wait', id),
    parentId: chainSpan(change, chain),
    name: `wait ${isGate ? 'gate' : kind}`,
    startedAt: openedAt,
    endedAt: answer?.at ?? change.at,
    isError: false,
    attributes: {
      ...about(change.after),
      'bosun.item': chain || null,
      'bosun.node': node,
      'bosun.interaction': id,
      'bosun.interaction.kind': kind,
      'bosun.interaction.subject': subject.type,
      'bosun.interaction.state': state,
      'bosun.interaction.option': answer?.option ?? null,
    },
  };
}

function itemsIn(change: Change): readonly Span[] {
  const known = new Map(change.before?.items.map((item) => [item.key, item]));
  return change.after.items.flatMap((item) => {
    const hasEnded = item.endedAt !== null && known.get(item.key)?.endedAt !== item.endedAt;
    return hasEnded ? [itemSpan(change, item, item.endedAt ?? change.at)] : [];
  });
}

function itemSpan(change: Change, item: Item, endedAt: number): Span {
  return {
    ...idsOf(change, 'item', `${change.after.run.id}/${item.key}`),
    parentId: chainSpan(change, item.parent),
    name: `item ${item.key}`,
    startedAt: item.startedAt ?? endedAt,
    endedAt,
    isError: item.status === 'failed',
    attributes: { ...about(change.after), 'bosun.item': item.key, 'bosun.status': item.status },
  };
}

function runIn(change: Change): readonly Span[] {
  const { before, after, at } = change;
  const { run } = after;
  if (!isRunOver(run.status) || before === null || isRunOver(before.run.status)) return [];
  const span: Span = {
    ...idsOf(change, 'run', run.id),
    parentId: null,
    name: `run ${run.workflow}`,
    startedAt: run.startedAt ?? run.createdAt,
    endedAt: run.endedAt ?? at,
    isError: run.status === 'failed',
    attributes: { ...about(after), 'bosun.status': run.status, 'bosun.cost_usd': run.costUsd },
  };
  return [span];
}

function about({ run }: State): Span['attributes'] {
  return { 'bosun.project': run.project, 'bosun.run': run.id, 'bosun.workflow': run.workflow };
}

function idsOf({ home, after }: Change, kind: 'run' | 'item' | 'attempt' | 'wait', id: string) {
  return { traceId: traceIdOf(home, after.run.id), spanId: spanIdOf(home, kind, id) };
}

function chainSpan({ home, after }: Change, chain: string): string {
  const { id } = after.run;
  return chain === '' ? spanIdOf(home, 'run', id) : spanIdOf(home, 'item', `${id}/${chain}`);
}
