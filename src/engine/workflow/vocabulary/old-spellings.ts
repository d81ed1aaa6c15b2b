// Runs first; positions and words stay.
import type { MapTree, ScalarTree, Tree, TreeEntry } from '../source/tree.js';
import { type Shape, vocabulary } from './vocabulary.js';

type Rewrite = (entry: TreeEntry, map: MapTree) => readonly TreeEntry[];

const table: Readonly<Partial<Record<Shape, Readonly<Record<string, Rewrite>>>>> = {
  workflow: {
    id: rename('workflow'),
    name: rename('title'),
    steps: rename('chain'),
    agents: (entry) => [{ ...renamed(entry, 'roles'), value: byId(entry.value) }],
    polling: oldPolling,
    cron: (entry) => [{ ...renamed(entry, 'policy'), value: entry.value }],
  },
  role: { timeout_seconds: rename('timeout'), name: rename('title') },
  policy: { interval_ms: rename('poll_ms') },
  node: {
    agent: rename('role'),
    input: rename('prompt'),
    name: rename('title'),
    output_keys: rename('outputs'),
    max_retries: oldRetries,
    timeout_min: (entry) => [{ ...renamed(entry, 'timeout'), value: suffixed(entry.value, 'm') }],
    timeout_seconds: rename('timeout'),
    requires_human: oldHuman,
    claude_reads: rename('reads'),
    claude_writes: rename('writes'),
    post_check: rename('check'),
    team_roles: (entry) => [{ ...renamed(entry, 'team'), value: wrapped(entry, 'roles') }],
    dispatch_mode: (entry) => [{ ...renamed(entry, 'team'), value: wrapped(entry, 'mode') }],
    goto: (entry) => [{ ...renamed(entry, 'on_pass'), value: wrapped(entry, 'goto') }],
    next_on_pass: (entry) => [{ ...renamed(entry, 'on_pass'), value: ended(entry.value) }],
    next_on_fail: (entry) => [{ ...renamed(entry, 'on_fail'), value: wrapped(entry, 'default') }],
    on_fail: oldFailure,
    on_exhausted: (entry) => [{ ...entry, value: escalation(entry.value) }],
    expects: (entry) => [{ ...entry, value: expectation(entry) }],
    type: (entry) => (isScalar(entry.value, 'single') ? [] : [renamed(entry, 'kind')]),
  },
  route: {
    next_step: rename('goto'),
    retry_step: rename('goto'),
    clear_context: rename('clear'),
    escalate_to: (entry) => [{ ...renamed(entry, 'ask'), value: said(entry.value, isScalar(entry.value, 'human')) }],
  },
  team_role: { claude_reads: rename('reads'), claude_writes: rename('writes') },
};

export function desugar(shape: Shape, map: MapTree): readonly TreeEntry[] {
  const rewrites = table[shape] ?? {};
  return map.entries.flatMap((entry) => {
    const key = snakeCase(entry.key);
    const rewrite = Object.hasOwn(rewrites, key) ? rewrites[key] : undefined;
    if (rewrite) return rewrite({ ...entry, key, ...(key === entry.key ? {} : { was: entry.key }) }, map);
    const known: readonly string[] = vocabulary[shape];
    return [key !== entry.key && known.includes(key) ? { ...entry, key, was: entry.key } : entry];
  });
}

export function oldKeys(shape: Shape): readonly string[] {
  return Object.keys(table[shape] ?? {});
}

export function snakeCase(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function rename(to: string): Rewrite {
  return (entry) => [renamed(entry, to)];
}

function renamed(entry: TreeEntry, to: string): TreeEntry {
  return { ...entry, key: to, was: entry.was ?? entry.key };
}

/** antfarm's `timeoutSeconds` beside a model limits its polling, not the work, if below this. */
const leastWorkSeconds = 600;

/** `polling: {timeoutSeconds: 1800}` moves one level up and limits the steps. */
function oldPolling(entry: TreeEntry): readonly TreeEntry[] {
  if (entry.value.type !== 'map') return [renamed(entry, 'timeout')];
  const { entries } = entry.value;
  const isPolled = entries.some((one) => one.key === 'model');
  return entries.map((one) => {
    if (snakeCase(one.key) !== 'timeout_seconds') return one;
    const seconds = one.value.type === 'scalar' ? one.value.value : null;
    const limitsWork = !isPolled || typeof seconds !== 'number' || seconds >= leastWorkSeconds;
    return renamed(one, limitsWork ? 'timeout' : 'polling_timeout');
  });
}

/** Anything but a boolean is refused as a kind. */
function oldHuman(entry: TreeEntry): readonly TreeEntry[] {
  if (isScalar(entry.value, false)) return [];
  const isHuman = isScalar(entry.value, true);
  return [{ ...renamed(entry, 'kind'), value: isHuman ? said(entry.value, 'human') : entry.value }];
}

/** Attempts (one more) for tasks, max_loops with a decision_key, max_rejections for loops; a gate's stay. */
function oldRetries(entry: TreeEntry, map: MapTree): readonly TreeEntry[] {
  const has = (key: string) => map.entries.some((one) => snakeCase(one.key) === key);
  const isGate = map.entries.some((one) => ['kind', 'type'].includes(one.key) && isScalar(one.value, 'decision'));
  if (has('decision_key')) return [renamed(entry, 'max_loops')];
  if (isGate) return [entry];
  return [has('body') ? renamed(entry, 'max_rejections') : oneMore(entry)];
}

function oneMore(entry: TreeEntry): TreeEntry {
  const { value } = entry;
  if (value.type !== 'scalar' || typeof value.value !== 'number') return renamed(entry, 'max_attempts');
  return { ...renamed(entry, 'max_attempts'), value: said(value, value.value + 1) };
}

/** A word, or `{retry_step, max_retries, on_exhausted, escalate_to}`. */
function oldFailure(entry: TreeEntry): readonly TreeEntry[] {
  const { value } = entry;
  if (value.type === 'scalar' && value.value === null) return [entry];
  if (value.type !== 'map') return [{ ...entry, value: wrapped(entry, 'default') }];
  const retry = value.entries.find((one) => snakeCase(one.key) === 'retry_step');
  const rest = value.entries.flatMap((one): readonly TreeEntry[] => {
    const key = snakeCase(one.key);
    if (key === 'max_retries') return [retry ? renamed(one, 'max_loops') : oneMore(one)];
    if (key === 'escalate_to')
      return [{ ...renamed(one, 'on_exhausted'), value: escalation({ ...value, entries: [one] }) }];
    return key === 'on_exhausted' ? [{ ...one, key, value: escalation(one.value) }] : [];
  });
  const hasCarry = value.entries.some((one) => one.key === 'carry');
  const findings = retry && !hasCarry ? [feedbackOf(retry)] : [];
  const kept = [...value.entries.filter((one) => !oldFailureKeys.has(snakeCase(one.key))), ...findings];
  const isRoute = kept.some((one) => routeKeys.has(snakeCase(one.key)));
  if (kept.length === 0) return value.entries.length === 0 ? [entry] : rest;
  const routes = isRoute
    ? wrapped({ ...entry, value: { ...value, entries: kept } }, 'default')
    : { ...value, entries: kept };
  return [{ ...entry, value: routes }, ...rest];
}

function feedbackOf({ at, value }: TreeEntry): TreeEntry {
  const entries = [{ key: 'verify_feedback', at, value: said(value, 'ISSUES') }];
  return { key: 'carry', at, value: { type: 'map', at, entries } };
}

const oldFailureKeys = new Set(['max_retries', 'escalate_to', 'on_exhausted']);
const routeKeys = new Set<string>([...vocabulary.route, 'retry_step', 'next_step']);

function wrapped(entry: TreeEntry, key: string): MapTree {
  const { at, value } = entry;
  return { type: 'map', at: value.at, entries: [{ key, was: entry.was ?? entry.key, at, value }] };
}

function escalation(value: Tree): Tree {
  if (value.type !== 'map') return value;
  const [only] = value.entries;
  if (!only || value.entries.length > 1) return value;
  return snakeCase(only.key) === 'escalate_to' && isScalar(only.value, 'human') ? said(only.value, 'ask') : value;
}

/** `STATUS: done` expects that status, `PLAN:` the key. */
function expectation(entry: TreeEntry): Tree {
  const { value } = entry;
  const match = value.type === 'scalar' ? /^\s*([A-Z][A-Z0-9_]*)\s*:\s*(.*)$/.exec(value.text) : null;
  if (!match) return value;
  const isStatus = match[1] === 'STATUS' && match[2] !== '';
  const meant = isStatus ? said(value, String(match[2])) : said(value, String(match[1]));
  return { type: 'map', at: value.at, entries: [{ key: isStatus ? 'status' : 'keys', at: value.at, value: meant }] };
}

/** `done` is the chain's end. */
function ended(value: Tree): Tree {
  return isScalar(value, 'done') ? said(value, 'finish') : value;
}

function byId(value: Tree): Tree {
  if (value.type !== 'list') return value;
  const entries = value.items.flatMap((item): readonly TreeEntry[] => {
    const id = item.type === 'map' ? item.entries.find((one) => one.key === 'id') : undefined;
    if (item.type !== 'map' || id?.value.type !== 'scalar') return [{ key: '', at: item.at, value: item }];
    return [
      { key: id.value.text, at: id.value.at, value: { ...item, entries: item.entries.filter((one) => one !== id) } },
    ];
  });
  return { type: 'map', at: value.at, entries };
}

function suffixed(value: Tree, unit: string): Tree {
  return value.type === 'scalar' && typeof value.value === 'number' ? said(value, `${value.text}${unit}`) : value;
}

function isScalar(value: Tree, expected: string | boolean): boolean {
  return value.type === 'scalar' && value.value === expected;
}

function said(value: Tree, meant: string | number | boolean): ScalarTree {
  return { type: 'scalar', at: value.at, value: meant, text: String(meant), placeholders: [] };
}
