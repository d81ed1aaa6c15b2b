// Reads a node without defaults, so that step rules can be merged over it.

import type { LoopDef, NodeDef, NodeFields, NodeKind, OnItemDone } from '../definition.js';
import { kindWords } from '../node-kinds.js';
import type { MapTree, TreeEntry } from '../source/tree.js';
import { didYouMean } from '../vocabulary/nearest.js';
import { reasons, timeoutWords } from '../vocabulary/vocabulary.js';
import { evidence, type GatePatch, gateRoutes } from './read-gate.js';
import { exhausted, route } from './read-route.js';
import { approvals, expects, filePath, outputKey, team, tests } from './read-step-parts.js';
import {
  complain,
  count,
  durationMs,
  expression,
  fields,
  flag,
  isNothing,
  isTrue,
  listOf,
  mapOf,
  type Path,
  type Read,
  type ReadState,
  take,
  text,
  textOrEmpty,
  warn,
  word,
  words,
} from './value-readers.js';

export type NodePatch = {
  -readonly [Key in keyof Omit<NodeFields, 'body' | 'stepTypes'>]?: NodeFields[Key];
} & { kind?: NodeKind; gate?: GatePatch };

type Set = (reading: ReadState, entry: TreeEntry, path: Path, into: NodePatch) => void;

/** '': no command. */
const command: Read<string | null> = (reading, value, path) => {
  const line = textOrEmpty(reading, value, path);
  return line === undefined || line.trim() !== '' ? line : null;
};

const isLast: Read<boolean> = (reading, value, path) => word(['last'])(reading, value, path) && true;

const over: Read<LoopDef['over']> = (reading, value, path) => {
  const said = word(['items', 'stories', 'phases'])(reading, value, path);
  return said === 'stories' ? 'items' : said;
};

const routes = mapOf(route);

const lowerRoutes: Read<NodeFields['onDecision']> = (reading, value, path) => {
  const found = routes(reading, value, path);
  return found && Object.fromEntries(Object.entries(found).map(([key, one]) => [key.trim().toLowerCase(), one]));
};

const failRoutes: Read<NodeDef['onFail']> = (reading, value, path) => {
  const found = routes(reading, value, path);
  const written = value.type === 'map' ? value.entries : [];
  for (const { key: reason } of written) {
    const hint = reasons.some((one) => one === reason) ? '' : didYouMean(reason, reasons);
    if (hint !== '') warn(reading, reading.places.at([...path, reason]), `"${reason}" is not a built-in reason${hint}`);
  }
  return found;
};

const answerRoutes: Read<NonNullable<NodeFields['onAnswer']>> = (reading, value, path) => {
  const found = fields(reading, value, 'on_answer', path);
  const answers = (['continue', 'skip', 'abort'] as const).flatMap((word) => {
    const one = take(reading, found, word, route, path);
    return one ? [[word, one] as const] : [];
  });
  return Object.fromEntries(answers);
};

const onItemDone: Read<OnItemDone> = (reading, value, path) => {
  const found = fields(reading, value, 'on_item_done', path);
  const rebase = found.get('rebase');
  if (rebase && !isTrue(rebase.value)) {
    complain(reading, rebase.value.at, '"rebase" can only be true: Bosun always rebases a branch first');
  }
  return {
    squash: take(reading, found, 'squash', text, path) ?? '{{item.key}}: {{item.title}}',
    conflict: take(reading, found, 'conflict', conflict, path) ?? null,
  };
};

const conflict: Read<NonNullable<OnItemDone['conflict']>> = (reading, value, path) => {
  const found = fields(reading, value, 'conflict', path);
  const insert = take(reading, found, 'insert', text, path);
  const before = take(reading, found, 'before', text, path);
  if (insert !== undefined && before !== undefined) return { insert, before };
  return complain(
    reading,
    value.at,
    '"conflict" must name the step to insert and the step before which: {insert, before}',
  );
};

const readers: Readonly<Record<string, Set>> = {
  kind: set('kind', word(kindWords)),
  title: set('title', text),
  role: set('role', text),
  prompt: set('prompt', text),
  call: set('call', text),
  args: set('args', words),
  reads: set('reads', listOf(filePath)),
  branch: set('branch', text),
  shows: set('shows', listOf(text)),
  writes: set('writes', listOf(filePath)),
  expects: set('expects', expects),
  outputs: set('outputs', listOf(outputKey)),
  check: set('check', command),
  tests: set('tests', tests),
  timeout: set('timeoutMs', durationMs),
  on_timeout: set('onTimeout', word(timeoutWords)),
  max_attempts: set('maxAttempts', count(1, 100)),
  abandons: set('abandons', count(0, 100)),
  max_loops: set('maxLoops', count(0, 1000)),
  max_rejections: set('maxRejections', count(0, 100)),
  restarts: set('maxRestarts', count(0, 100)),
  rollback: set('rollback', flag),
  mandatory: set('mandatory', flag),
  pin: set('pinLast', isLast),
  after_any: set('afterAny', listOf(text)),
  barrier: set('barrier', flag),
  when: set('when', expression),
  on_pass: set('onPass', route),
  on_fail: set('onFail', failRoutes),
  on_status: set('onStatus', lowerRoutes),
  decision_key: set('decisionKey', outputKey),
  on_decision: set('onDecision', lowerRoutes),
  on_exhausted: set('onExhausted', exhausted),
  evidence: gate(evidence, (one) => ({ evidence: one })),
  fail_when: gate(expression, (one) => ({ failWhen: one })),
  max_retries: gate(count(0, 100), (one) => ({ maxRetries: one })),
  on: gate(gateRoutes, (one) => one),
  on_answer: set('onAnswer', answerRoutes),
  approvals: set('approvals', approvals),
  team: set('team', team),
  over: set('over', over),
  parallel: set('parallel', count(1, 16)),
  isolate: set('isolate', word(['shared', 'worktree'])),
  on_item_done: set('onItemDone', onItemDone),
  insert_by: set('insertBy', word(['anyone', 'system'])),
  editable: set('editable', flag),
  fresh_session: set('freshSession', flag),
};

/** read-chain.ts reads the other keys. */
export function readNode(
  reading: ReadState,
  node: MapTree,
  id: string,
): { patch: NodePatch; found: ReadonlyMap<string, TreeEntry> } {
  const patch: NodePatch = {};
  const found = fields(reading, node, 'node', [id]);
  for (const [key, entry] of found) readers[key]?.(reading, entry, [id, key], patch);
  return { patch, found };
}

/** Only earlier nodes of the chain; absent: all of them. */
export function readNeeds(
  reading: ReadState,
  entry: TreeEntry | undefined,
  id: string,
  earlier: readonly string[],
): Pick<NodePatch, 'needs'> {
  if (!entry || isNothing(entry.value)) return {};
  const needs = listOf(text)(reading, entry.value, [id, 'needs']);
  for (const one of needs.filter((need) => !earlier.includes(need))) {
    const at = reading.places.at([id, 'needs', one]);
    complain(
      reading,
      at,
      `"${id}" needs "${one}", which is not an earlier node of its chain${didYouMean(one, earlier)}`,
    );
  }
  return { needs };
}

function set<Key extends keyof NodePatch>(key: Key, read: Read<Exclude<NodePatch[Key], undefined>>): Set {
  return (reading, entry, path, into) => {
    const value = read(reading, entry.value, path);
    if (value !== undefined) into[key] = value;
  };
}

function gate<T>(read: Read<T>, part: (value: T) => GatePatch): Set {
  return (reading, entry, path, into) => {
    const value = read(reading, entry.value, path);
    if (value !== undefined) into.gate = { ...into.gate, ...part(value) };
  };
}
