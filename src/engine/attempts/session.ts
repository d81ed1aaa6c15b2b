// Which session of its agent an attempt goes on with. Each begins afresh, unless the node says otherwise, or it asked
// and has its answer now.

import type { Step } from '../model/draft.js';
import type { Node } from '../model/model.js';

export function sessionFor(step: Step, node: Node): string | null {
  const def = step.def(node);
  const { last } = node;
  // What a rollback or a route took it back from is not what it remembers.
  const own = last?.generation === node.generation ? last : null;
  const goesOn = own?.outcome === 'needs_human' || own?.reason === 'budget';
  if (own?.session && goesOn) return own.session;
  if (def.freshSession) return null;
  const others = step.chain.nodes.filter((one) => step.def(one).role === def.role).flatMap((one) => one.last ?? []);
  const [latest] = others
    .filter(({ session }) => session !== null)
    .sort((one, other) => Number(other.endedAt) - Number(one.endedAt));
  return latest?.session ?? null;
}
