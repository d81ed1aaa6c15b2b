import type { NodeKind } from '../definition.js';
import type { TreeEntry } from '../source/tree.js';
import { type ReadState, warn } from './value-readers.js';

export type NodePosition = 'chain' | 'body' | 'fragment' | 'step type';

const TASK_ONLY = [
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
const RUN_ONLY = [
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
const LOOP_ONLY = ['over', 'body', 'max_rejections', 'parallel', 'isolate', 'step_types', 'on_item_done'];
const GATE_ONLY = ['evidence', 'fail_when', 'max_retries', 'on'];
const SHOWN_ONLY = ['shows'];
const PERSON_ONLY = ['on_answer'];

const deadKeys: Readonly<Record<NodeKind, readonly string[]>> = {
  task: [...LOOP_ONLY, ...GATE_ONLY, ...PERSON_ONLY],
  check: [...SHOWN_ONLY, ...TASK_ONLY, ...LOOP_ONLY, ...GATE_ONLY, ...PERSON_ONLY],
  human: [...TASK_ONLY.filter((key) => key !== 'prompt'), ...RUN_ONLY, ...LOOP_ONLY, ...GATE_ONLY, 'max_loops'],
  decision: [...SHOWN_ONLY, ...TASK_ONLY, ...RUN_ONLY, ...LOOP_ONLY, ...PERSON_ONLY, 'max_loops', 'on_fail'],
  loop: [...SHOWN_ONLY, ...TASK_ONLY, ...RUN_ONLY, ...GATE_ONLY, ...PERSON_ONLY, 'max_loops'],
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
