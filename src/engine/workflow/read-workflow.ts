// The head of a workflow file: everything beside its nodes.
import { defaultLimits, defaultPolicy } from './defaults.js';
import type { InputDef, Limits, NodeDef, Policy, Workflow } from './definition.js';
import { readChain } from './read-chain.js';
import {
  complain,
  count,
  durationMs,
  fields,
  flag,
  isNothing,
  mapOf,
  type Path,
  type Read,
  type Reading,
  text,
  textOrEmpty,
  word,
} from './reading.js';
import type { Entry, Tree } from './tree.js';
import { levels } from './vocabulary.js';

/** A role as written: its prompt names a file. */
export interface WrittenRole {
  readonly promptFile: string | null;
  readonly executor: string | null;
}

export interface Draft {
  readonly workflow: Omit<Workflow, 'roles'>;
  readonly roles: Readonly<Record<string, WrittenRole>>;
}

type Found = ReadonlyMap<string, Entry>;

export function readWorkflow(reading: Reading, tree: Tree): Draft {
  const found = fields(reading, tree, 'workflow', []);
  const name = readName(reading, tree, found);
  const { policy, onTimeout } = readPolicy(reading, found);
  const roles = take(reading, found, 'roles', mapOf(role)) ?? {};
  const timeouts = Object.entries(roles).flatMap(([id, one]): [string, number][] =>
    one.timeoutMs === undefined ? [] : [[id, one.timeoutMs]],
  );
  const settings = {
    onTimeout,
    timeoutMs: take(reading, found, 'timeout', durationMs),
    roleTimeouts: new Map(timeouts),
  };
  const chain = found.get('chain');
  const nodes = chain && !isNothing(chain.value) ? readChain(reading, chain.value, settings) : [];
  const isEmpty = !chain || isNothing(chain.value) || (chain.value.type === 'list' && chain.value.items.length === 0);
  if (isEmpty) complain(reading, chain?.at ?? tree.at, `the workflow "${name}" has no nodes`);
  const workflow = {
    name,
    title: take(reading, found, 'title', text) ?? name,
    version: take(reading, found, 'version', text) ?? '1',
    inputs: take(reading, found, 'inputs', mapOf(input)) ?? {},
    context: take(reading, found, 'context', mapOf(textOrEmpty)) ?? {},
    policy,
    limits: readLimits(reading, found),
    chain: nodes,
  };
  take(reading, found, 'description', text);
  return { workflow, roles };
}

function readName(reading: Reading, tree: Tree, found: Found): string {
  const entry = found.get('workflow');
  if (!entry) return complain(reading, tree.at, 'the workflow has no name: "workflow: my-flow"') ?? '';
  const name = text(reading, entry.value, ['workflow']);
  if (name === undefined) return '';
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) {
    complain(
      reading,
      entry.value.at,
      `"${name.slice(0, 60)}" cannot be a workflow's name: small letters, digits and - only`,
    );
  }
  return name;
}

function readPolicy(reading: Reading, found: Found): { policy: Policy; onTimeout: NodeDef['onTimeout'] } {
  const inner = sub(reading, found, 'policy');
  const read = <T>(key: string, reader: Read<T>, fallback: T): T =>
    take(reading, inner, key, reader, ['policy']) ?? fallback;
  return {
    onTimeout: read('timeout', word(['abandon', 'ask', 'fail']), 'abandon'),
    policy: {
      level: read<Policy['level']>('level', word(levels), defaultPolicy.level),
      onItemFailed: read('on_item_failed', word(['fail_run', 'continue']), defaultPolicy.onItemFailed),
      report: read('report', word(['required', 'optional']), defaultPolicy.report),
      afterStory: read<Policy['afterStory']>(
        'after_story',
        word<'propose' | 'start'>(['propose', 'start']),
        defaultPolicy.afterStory,
      ),
      pollMs: read('poll_ms', count(1000, 86_400_000), defaultPolicy.pollMs),
    },
  };
}

function readLimits(reading: Reading, found: Found): Limits {
  const inner = sub(reading, found, 'limits');
  const read = (key: string, most: number, fallback: number) =>
    take(reading, inner, key, count(1, most), ['limits']) ?? fallback;
  return {
    items: read('items', 1000, defaultLimits.items),
    nodesPerItem: read('nodes_per_item', 1000, defaultLimits.nodesPerItem),
    dispatches: read('dispatches', 100_000, defaultLimits.dispatches),
  };
}

const input: Read<InputDef> = (reading, value, path) => {
  if (isNothing(value)) return { required: false, default: null };
  const found = fields(reading, value, 'input', path);
  const required = take(reading, found, 'required', flag, path) ?? false;
  take(reading, found, 'description', text, path);
  return { required, default: take(reading, found, 'default', textOrEmpty, path) ?? null };
};

const role: Read<WrittenRole & { timeoutMs: number | undefined }> = (reading, value, path) => {
  const found: Found = isNothing(value) ? new Map() : fields(reading, value, 'role', path);
  take(reading, found, 'title', text, path);
  return {
    promptFile: take(reading, found, 'prompt', text, path) ?? null,
    executor: take(reading, found, 'executor', text, path) ?? null,
    timeoutMs: take(reading, found, 'timeout', durationMs, path),
  };
};

function sub(reading: Reading, found: Found, key: 'policy' | 'limits'): Found {
  const entry = found.get(key);
  return entry && !isNothing(entry.value) ? fields(reading, entry.value, key, [key]) : new Map();
}

function take<T>(reading: Reading, found: Found, key: string, read: Read<T>, path: Path = []): T | undefined {
  const entry = found.get(key);
  return entry && read(reading, entry.value, [...path, key]);
}
