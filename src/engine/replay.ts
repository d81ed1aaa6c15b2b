import { emptyChain } from './chain/chain.js';
import { decide, decideFirst } from './decide.js';
import type { Decision } from './model/effect.js';
import type { Event } from './model/event.js';
import type { Chain, State } from './model/model.js';
import type { Workflow } from './workflow/definition.js';

export interface World {
  readonly state: State | null;
  readonly chains: ReadonlyMap<string, Chain>;
}

export const emptyWorld: World = { state: null, chains: new Map() };

interface Applied {
  readonly world: World;
  readonly before: State | null;
  readonly decision: Decision<State>;
}

export function apply(world: World, event: Event, workflow: Workflow): Applied {
  const before = world.state && { ...world.state, chain: world.chains.get(event.chain) ?? emptyChain(event.chain) };
  const decision = decideNext(before, event, workflow);
  if (decision.ignored !== null) return { world, before, decision };
  const { state } = decision;
  return { world: { state, chains: new Map(world.chains).set(event.chain, state.chain) }, before, decision };
}

export function fold(events: readonly Event[], workflow: Workflow): World {
  return events.reduce((world, event) => apply(world, event, workflow).world, emptyWorld);
}

export function decideNext(before: State | null, event: Event, workflow: Workflow): Decision<State> {
  if (before) return decide(before, event);
  if (event.type === 'run_created') return decideFirst(workflow, event);
  throw new Error(`the first event of ${event.run} is ${event.type}`);
}
