import type { InputDef, Position, RoleDef, Workflow } from '../definition.js';
import type { Tree, TreeEntry } from '../source/tree.js';
import { accesses, antfarmRoles, exportNames, reservedNames, workspaceFileNames } from '../vocabulary/vocabulary.js';
import { hasOldLoop } from './old-loop.js';
import { readChain, type Walk } from './read-chain.js';
import { type Carry, readFragments, writtenFragments } from './read-fragments.js';
import { readDefaults, readLimits, readPolicy } from './read-policy.js';
import {
  complain,
  durationMs,
  expression,
  fields,
  flag,
  isNothing,
  listOf,
  mapOf,
  named,
  type Read,
  type ReadState,
  take,
  text,
  textOrEmpty,
  warn,
  word,
} from './value-readers.js';

/** Prompts are still file names. */
export interface WrittenRole {
  readonly promptFile: string | null;
  readonly workspaceFiles: readonly string[];
  readonly executor: string | null;
  readonly access: RoleDef['access'];
}

export interface WorkflowDraft {
  readonly workflow: Omit<Workflow, 'roles'>;
  readonly roles: Readonly<Record<string, WrittenRole>>;
  readonly access: Walk['access'];
  readonly carries: ReadonlyMap<string, Carry>;
}

type Found = ReadonlyMap<string, TreeEntry>;

export function readWorkflow(reading: ReadState, tree: Tree): WorkflowDraft {
  const found = fields(reading, tree, 'workflow', []);
  const name = readName(reading, tree, found);
  const { policy, onTimeout, context } = readPolicy(reading, found);
  const { limits, restarts } = readLimits(reading, found);
  const roles = take(reading, found, 'roles', mapOf(role), []) ?? {};
  const timeouts = Object.entries(roles).flatMap(([id, one]): [string, number][] =>
    one.timeoutMs === undefined ? [] : [[id, one.timeoutMs]],
  );
  const defaults = { onTimeout, maxRestarts: restarts, ...readDefaults(reading, found) };
  const walk: Walk = {
    reading,
    settings: { defaults, roleTimeouts: new Map(timeouts) },
    fragments: writtenFragments(reading, found.get('fragments')),
    bodies: new Set(),
    ids: new Set(),
    access: new Map(),
  };
  const chain = readNodes(walk, tree, found, name);
  const { fragments, carries } = readFragments(walk);
  const isOld = hasOldLoop(found.get('chain')?.value);
  take(reading, found, 'description', text, []);
  const written = take(reading, found, 'context', mapOf(textOrEmpty), []) ?? {};
  const selfFilled = Object.entries(written).flatMap(([name, said]) => (isSelfReference(name, said) ? [name] : []));
  for (const name of selfFilled) warnOfSelfReference(reading, name);
  const without = Object.entries(written).filter(([name]) => !selfFilled.includes(name));
  const optional = selfFilled.filter((name) => !reservedNames.includes(name)).map((name) => [name, optionalInput]);
  const workflow = {
    name,
    title: take(reading, found, 'title', text, []) ?? name,
    version: take(reading, found, 'version', text, []) ?? '1',
    inputs: { ...Object.fromEntries(optional), ...take(reading, found, 'inputs', mapOf(input), []) },
    context: { ...context, ...Object.fromEntries(without) },
    policy: isOld ? { ...policy, afterStory: policy.afterStory ?? 'start' } : policy,
    limits,
    chain,
    fragments,
    survey: take(reading, found, 'survey', folder, []) ?? null,
    positions: readPositions(reading, found.get('positions')),
    exports: take(reading, found, 'exports', listOf(word(exportNames)), []) ?? (isOld ? ['state', 'progress'] : []),
  };
  return { workflow, roles, access: walk.access, carries };
}

function readNodes(walk: Walk, tree: Tree, found: Found, name: string): Workflow['chain'] {
  const chain = found.get('chain');
  const isEmpty = !chain || isNothing(chain.value) || (chain.value.type === 'list' && chain.value.items.length === 0);
  if (isEmpty) return complain(walk.reading, chain?.at ?? tree.at, `the workflow "${name}" has no nodes`) ?? [];
  return readChain(walk, chain.value, { position: 'chain', editable: false });
}

function readName(reading: ReadState, tree: Tree, found: Found): string {
  const entry = found.get('workflow');
  if (!entry) return complain(reading, tree.at, 'the workflow has no name: "workflow: my-flow"') ?? '';
  const name = text(reading, entry.value, ['workflow']);
  if (name === undefined) return '';
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) {
    complain(reading, entry.value.at, `invalid workflow name: use only lower-case letters, digits and -`);
  }
  return name;
}

function readPositions(reading: ReadState, entry: TreeEntry | undefined): readonly Position[] {
  if (!entry || isNothing(entry.value)) return [];
  const { value } = entry;
  if (value.type !== 'list') return complain(reading, value.at, '"positions" must be a list of maps') ?? [];
  return value.items.flatMap((item, index) => position(reading, item, ['positions', String(index)]) ?? []);
}

const position: Read<Position> = (reading, value, path) => {
  const found = fields(reading, value, 'position', path);
  const name = take(reading, found, 'name', text, path);
  const begin = take(reading, found, 'begin', text, path);
  const when = take(reading, found, 'when', expression, path);
  if (name !== undefined && begin !== undefined && when) return { name, begin, when };
  return complain(reading, value.at, 'a position must have a name, a "begin" and a "when"');
};

const folder: Read<string> = (reading, value, path) => {
  const written = text(reading, value, path)?.replace(/\/$/, '');
  if (written === undefined) return undefined;
  const parts = written.split('/');
  if (!parts.includes('') && !parts.includes('..')) return written;
  return complain(reading, value.at, `${named(path)} must be the path of a folder inside the project`);
};

const input: Read<InputDef> = (reading, value, path) => {
  if (isNothing(value)) return { required: false, default: null };
  const found = fields(reading, value, 'input', path);
  const required = take(reading, found, 'required', flag, path) ?? false;
  take(reading, found, 'description', text, path);
  return { required, default: take(reading, found, 'default', textOrEmpty, path) ?? null };
};

const optionalInput: InputDef = { required: false, default: null };

/** `context: {repo: "{{repo}}"}` is compound-engineering-loop's form of an optional input. */
function isSelfReference(name: string, text: string): boolean {
  return text.replaceAll(/\s/g, '').toLowerCase() === `{{${name.toLowerCase()}}}`;
}

function warnOfSelfReference(reading: ReadState, name: string): void {
  const meaning = reservedNames.includes(name)
    ? 'Bosun always sets it, so this line has no effect'
    : `Bosun reads it as an optional input: write "inputs: {${name}: {}}"`;
  warn(reading, reading.places.at(['context', name]), `the default of "${name}" names itself; ${meaning}`);
}

/** In antfarm only `coding` may write. */
const antfarmAccess: Readonly<Record<(typeof antfarmRoles)[number], RoleDef['access']>> = {
  analysis: 'exec',
  coding: 'write',
  verification: 'exec',
  testing: 'exec',
  pr: 'exec',
  scanning: 'exec',
};

const workspace: Read<readonly string[]> = (reading, value, path) => {
  const found = fields(reading, value, 'workspace', path);
  const files = take(reading, found, 'files', mapOf(text), path) ?? {};
  return workspaceFileNames.flatMap((name) => files[name] ?? []);
};

const role: Read<WrittenRole & { timeoutMs: number | undefined }> = (reading, value, path) => {
  const found: Found = isNothing(value) ? new Map() : fields(reading, value, 'role', path);
  take(reading, found, 'title', text, path);
  take(reading, found, 'description', text, path);
  const antfarmRole = take(reading, found, 'role', word(antfarmRoles), path);
  return {
    promptFile: take(reading, found, 'prompt', text, path) ?? null,
    workspaceFiles: take(reading, found, 'workspace', workspace, path) ?? [],
    executor: take(reading, found, 'executor', text, path) ?? null,
    access: take(reading, found, 'access', word(accesses), path) ?? (antfarmRole ? antfarmAccess[antfarmRole] : null),
    timeoutMs: take(reading, found, 'timeout', durationMs, path),
  };
};
