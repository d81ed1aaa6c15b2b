// In one checkout only `writes` keep parallel nodes apart.

import { meetAnywhere } from '../../text/globs.js';
import type { JobDef, NodeDef, Workflow } from '../definition.js';
import { hasBody, isEditable, runsAgent, runsJob } from '../node-kinds.js';
import { type ReadState, warn } from '../read/value-readers.js';

/** A node that leads elsewhere would cross its neighbours. */
export function mayShare(def: NodeDef): def is JobDef {
  if (!runsJob(def)) return false;
  const routes = [def.onPass, ...Object.values(def.onFail), ...Object.values(def.onStatus)];
  const leadsAway = routes.some(({ type }) => type === 'goto' || type === 'insert' || type === 'finish');
  const isTeam = runsAgent(def) && def.team !== null;
  const isAlone = def.barrier || def.rollback || isEditable(def) || def.decisionKey !== null || isTeam;
  return !leadsAway && !isAlone;
}

export function lintWaves(workflow: Workflow, reading: ReadState): void {
  // Worktrees have no waves: a rollback would take others' files.
  const shared = workflow.chain.filter(hasBody).flatMap((loop) => (loop.isolate === 'shared' ? [loop.body] : []));
  for (const chain of [workflow.chain, ...shared]) {
    chain.forEach((node, index) => {
      // A default says nothing about a pair.
      if (reading.places.has([node.id, 'needs']))
        if (mayShare(node)) lintPair(node, besideOf(node, chain.slice(0, index)), workflow, reading);
    });
  }
}

/** Nodes that may still run when it begins. */
function besideOf(node: JobDef, before: readonly NodeDef[]): readonly JobDef[] {
  const beside: JobDef[] = [];
  for (const one of before.toReversed()) {
    if (!mayShare(one) || node.needs?.includes(one.id)) break;
    beside.push(one);
    // It needs all nodes before, so the wave ends.
    if (one.needs === null) break;
  }
  return beside;
}

function lintPair(node: JobDef, beside: readonly JobDef[], workflow: Workflow, reading: ReadState): void {
  const at = reading.places.at([node.id, 'needs']);
  for (const other of beside) {
    const silent = [other, node].filter((one) => mayWriteAnything(one, workflow)).map(({ id }) => `"${id}"`);
    if (silent.length > 0) {
      const what = silent.length === 1 ? 'does not say what it writes' : 'do not say what they write';
      const message = `"${node.id}" may run in parallel with "${other.id}" in one checkout, but ${silent.join(' and ')} ${what}`;
      warn(reading, at, `${message}: "writes: [docs/**]"`);
    } else if (meet(node, other)) {
      warn(reading, at, `"${node.id}" may write the same files as "${other.id}", so they never run in parallel`);
    }
  }
}

function mayWriteAnything(node: JobDef, { roles }: Workflow): boolean {
  if (!runsAgent(node) || node.writes.length > 0) return false;
  return node.role === null || roles[node.role]?.access !== 'read';
}

/** A placeholder is unknown until filled. */
function meet(one: JobDef, other: JobDef): boolean {
  const known = ({ writes }: JobDef) => writes.filter((path) => !path.includes('{{'));
  return meetAnywhere(known(one), known(other));
}
