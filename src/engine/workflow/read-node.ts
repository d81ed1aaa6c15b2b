// One node as its author wrote it: only what is said, without defaults, so that step rules can be laid over a node.
import type { Expects, NodeDef, TestCommand } from './definition.js';
import { didYouMean } from './nearest.js';
import { notYet } from './not-yet.js';
import { route } from './read-route.js';
import {
  complain,
  count,
  durationMs,
  fields,
  flag,
  isNothing,
  isTrue,
  listOf,
  mapOf,
  named,
  type Path,
  type Read,
  type Reading,
  text,
  textOrEmpty,
  warn,
  word,
} from './reading.js';
import type { Entry, MapTree } from './tree.js';
import { kinds, reasons, testFormats } from './vocabulary.js';

export type NodePatch = { -readonly [Key in keyof Omit<NodeDef, 'body'>]?: NodeDef[Key] };

type Set = (reading: Reading, entry: Entry, path: Path, into: NodePatch) => void;

const outputKey: Read<string> = (reading, value, path) => {
  const key = text(reading, value, path)?.trim();
  if (key === undefined || /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(key)) return key?.toUpperCase();
  return complain(reading, value.at, `${named(path)} must list keys such as PLAN_FILE, not "${key.slice(0, 60)}"`);
};

/** `{story}` is the item's whole key, so that a prefix before it is already part of it. */
const filePath: Read<string> = (reading, value, path) => {
  const written = text(reading, value, path);
  return written?.replace(/(?:US-)?(?<!\{)\{story\}(?!\})/g, '{{item.key}}');
};

/** An empty text is no command. */
const command: Read<string | null> = (reading, value, path) => {
  const line = textOrEmpty(reading, value, path);
  return line === undefined || line.trim() !== '' ? line : null;
};

const lowerText: Read<string> = (reading, value, path) => text(reading, value, path)?.trim().toLowerCase();

const expects: Read<Expects> = (reading, value, path) => {
  const found = fields(reading, value, 'expects', path);
  const read = <T>(key: string, reader: Read<T>, fallback: T): T => {
    const entry = found.get(key);
    return (entry && reader(reading, entry.value, [...path, key])) ?? fallback;
  };
  return {
    status: read<readonly string[] | null>('status', listOf(lowerText), null),
    keys: read('keys', listOf(outputKey), []),
    items: read('items', word(['required', 'none', 'any']), 'any'),
    red: read('red', flag, false),
  };
};

const tests: Read<'project' | TestCommand | null> = (reading, value, path) => {
  if (isTrue(value)) return 'project';
  if (value.type === 'scalar' && (value.value === false || value.value === null)) return null;
  if (value.type === 'scalar') {
    const said = text(reading, value, path) as string;
    return said === 'project' ? 'project' : { run: said, format: 'auto' };
  }
  const found = fields(reading, value, 'tests', path);
  const run = found.get('run');
  if (!run) return complain(reading, value.at, `${named(path)} has no "run"`);
  const format = found.get('format');
  const line = text(reading, run.value, path);
  const kind = format ? word(testFormats)(reading, format.value, [...path, 'format']) : 'auto';
  return line === undefined || kind === undefined ? undefined : { run: line, format: kind };
};

const routes = mapOf(route);

/** What may be decided and said is compared without regard to case. */
const lowerRoutes: Read<NodeDef['onDecision']> = (reading, value, path) => {
  const found = routes(reading, value, path);
  return found && Object.fromEntries(Object.entries(found).map(([key, one]) => [key.trim().toLowerCase(), one]));
};

const failRoutes: Read<NodeDef['onFail']> = (reading, value, path) => {
  const found = routes(reading, value, path);
  const written = value.type === 'map' ? value.entries : [];
  for (const { key: reason } of written) {
    const hint = reasons.some((one) => one === reason) ? '' : didYouMean(reason, reasons);
    if (hint !== '')
      warn(reading, reading.places.at([...path, reason]), `"${reason}" is a reason of this workflow's own${hint}`);
  }
  return found;
};

const readers: Readonly<Record<string, Set>> = {
  kind: set('kind', word(kinds)),
  title: set('title', text),
  role: set('role', text),
  prompt: set('prompt', text),
  reads: set('reads', listOf(filePath)),
  writes: set('writes', listOf(filePath)),
  expects: set('expects', expects),
  outputs: set('outputs', listOf(outputKey)),
  check: set('check', command),
  tests: set('tests', tests),
  timeout: set('timeoutMs', durationMs),
  max_attempts: set('maxAttempts', count(1, 100)),
  abandons: set('abandons', count(0, 100)),
  max_loops: set('maxLoops', count(1, 1000)),
  max_rejections: set('maxRejections', count(0, 100)),
  rollback: set('rollback', flag),
  mandatory: set('mandatory', flag),
  on_pass: set('onPass', route),
  on_fail: set('onFail', failRoutes),
  on_status: set('onStatus', lowerRoutes),
  decision_key: set('decisionKey', outputKey),
  on_decision: set('onDecision', lowerRoutes),
  on_exhausted: set('onExhausted', word(['ask', 'fail'])),
  parallel: only((value) => value.type === 'scalar' && value.value === 1, '"parallel" above 1'),
  isolate: ignore(word(['shared'])),
  editable: only((value) => value.type === 'scalar' && value.value === false, '"editable: true"'),
  fresh_session: only(isTrue, '"fresh_session: false"'),
};

/** What a node's map says. `over`, `body`, `needs` and `id` are the chain's affair. */
export function readNode(
  reading: Reading,
  node: MapTree,
  id: string,
): { patch: NodePatch; found: ReadonlyMap<string, Entry> } {
  const patch: NodePatch = {};
  const found = fields(reading, node, 'node', [id]);
  for (const [key, entry] of found) readers[key]?.(reading, entry, [id, key], patch);
  return { patch, found };
}

/** `needs` holds by itself where every named node comes earlier in the same chain. */
export function readNeeds(reading: Reading, entry: Entry | undefined, id: string, earlier: readonly string[]): void {
  if (!entry || isNothing(entry.value)) return;
  const needs = listOf(text)(reading, entry.value, [id, 'needs']);
  for (const one of needs.filter((need) => !earlier.includes(need))) {
    const at = reading.places.at([id, 'needs', one]);
    complain(reading, at, `"${id}" needs "${one}", which is no earlier node of its chain${didYouMean(one, earlier)}`);
  }
}

function set<Key extends keyof NodePatch>(key: Key, read: Read<Exclude<NodePatch[Key], undefined>>): Set {
  return (reading, entry, path, into) => {
    const value = read(reading, entry.value, path);
    if (value !== undefined) into[key] = value;
  };
}

function ignore(read: Read<unknown>): Set {
  return (reading, entry, path) => {
    read(reading, entry.value, path);
  };
}

function only(isFine: (value: Entry['value']) => boolean, what: string): Set {
  return (reading, entry) => {
    if (!isFine(entry.value)) complain(reading, entry.at, notYet(what));
  };
}
