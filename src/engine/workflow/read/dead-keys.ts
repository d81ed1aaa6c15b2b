import type { NodeKind } from '../definition.js';
import type { TreeEntry } from '../source/tree.js';
import { type ReadState, warn } from './value-readers.js';

export type NodePosition = 'chain' | 'body' | 'fragment' | 'step type';

const taskOnly = [
  'role',
  'access',
  'prompt',
  'call',
  'reads',
  'branch',
  'writes',
  'expects',
  'outputs',
  'decision_key',
  'on_decision',
  'on_status',
  'editable',
  'fresh_session',
  'team',
];
const runOnly = [
  'args',
  'check',
  'tests',
  'timeout',
  'on_timeout',
  'max_attempts',
  'abandons',
  'restarts',
  'rollback',
  'on_exhausted',
];
const loopOnly = ['over', 'body', 'max_rejections', 'parallel', 'isolate', 'step_types', 'on_item_done'];
const gateOnly = ['evidence', 'fail_when', 'max_retries', 'on'];
const shownOnly = ['shows'];
const personOnly = ['on_answer'];

const deadKeys: Readonly<Record<NodeKind, readonly string[]>> = {
  task: [...loopOnly, ...gateOnly, ...personOnly],
  check: [...shownOnly, ...taskOnly, ...loopOnly, ...gateOnly, ...personOnly],
  human: [...taskOnly.filter((key) => key !== 'prompt'), ...runOnly, ...loopOnly, ...gateOnly, 'max_loops'],
  decision: [...shownOnly, ...taskOnly, ...runOnly, ...loopOnly, ...personOnly, 'max_loops', 'on_fail'],
  loop: [...shownOnly, ...taskOnly, ...runOnly, ...gateOnly, ...personOnly, 'max_loops'],
};

export function warnOfDeadKeys(
  reading: ReadState,
  found: ReadonlyMap<string, TreeEntry>,
  node: { readonly id: string; readonly kind: NodeKind; readonly position: NodePosition },
): void {
  const { id, kind, position } = node;
  for (const [key, entry] of found) {
    const word = entry.was ?? key;
    if (deadKeys[kind].includes(key))
      warn(reading, entry.at, `"${word}" has no effect on "${id}", which is a ${kind} node`);
    if (key === 'insert_by' && position !== 'step type')
      warn(reading, entry.at, `"${word}" has no effect on "${id}", which is not a step type of a loop`);
    if (key === 'carry' && position !== 'fragment')
      warn(reading, entry.at, `"${word}" has no effect on "${id}": it belongs to a route, or to a node of a fragment`);
  }
}
