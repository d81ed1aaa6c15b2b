// What a loop does, in a few words for pictures and lists.
import type { NodeDef } from '../definition.js';

export function loopTitle(loop: NodeDef): string {
  const each = loop.over === 'phases' ? 'for each phase' : 'for each item';
  const beside = loop.parallel > 1 ? `, ${loop.parallel} side by side` : '';
  return `${each}${beside}${loop.isolate === 'worktree' ? ', in worktrees' : ''}`;
}
