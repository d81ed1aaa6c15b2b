// Edits only Bosun's command in `hooks.Stop` of Claude Code and Codex.
import { isDeepStrictEqual } from 'node:util';
import { BosunError } from '../../../base/index.js';
import type { HookCall, HookChange, HookInstaller } from '../port.js';

type Json = Readonly<Record<string, unknown>>;

/** The hook only hands over. */
const timeoutS = 10;

export function settingsHook(path: string): HookInstaller {
  return { path, notes: [], edit: (before, change) => withHook(path, before, change) };
}

export function stopHook({ argv }: HookCall): Json {
  return { hooks: { Stop: [{ hooks: [{ type: 'command', command: shellCommand(argv, ''), timeout: timeoutS }] }] } };
}

/** Null: nothing is left, so remove the file. */
function withHook(path: string, text: string | null, { project, call }: HookChange): string | null {
  if (text === null && call === null) return null;
  const mark = `# bosun hook ${project}`;
  const before = text === null ? {} : objectIn(path, text);
  const hooks = partOf(path, before, 'hooks');
  const groups = listOf(path, hooks);
  const others = groups.flatMap((group) => withoutOwn(group, mark));
  const own =
    call === null ? [] : [{ hooks: [{ type: 'command', command: shellCommand(call.argv, mark), timeout: timeoutS }] }];
  const after = put(before, 'hooks', put(hooks, 'Stop', [...others, ...own]));
  if (text !== null && isDeepStrictEqual(before, after)) return text;
  return Object.keys(after).length === 0 ? null : `${JSON.stringify(after, null, indentOf(text ?? ''))}\n`;
}

/** Silent and infallible: a moved Bosun must not hold up an agent. */
function shellCommand(argv: readonly string[], mark: string): string {
  return `${argv.map(quoted).join(' ')} >/dev/null 2>&1 || true ${mark}`.trimEnd();
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function objectIn(path: string, text: string): Json {
  const read = jsonOf(path, text.replace(/^\uFEFF/, ''));
  if (isObject(read)) return read;
  throw refused(path, 'is not a JSON object');
}

function jsonOf(path: string, text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refused(path, `is not JSON (${cause instanceof Error ? cause.message : 'unreadable'})`);
  }
}

function partOf(path: string, whole: Json, key: string): Json {
  const part = whole[key];
  if (part === undefined) return {};
  if (isObject(part)) return part;
  throw refused(path, `has no object under "${key}"`);
}

function listOf(path: string, hooks: Json): readonly unknown[] {
  const list = hooks['Stop'];
  if (list === undefined) return [];
  if (Array.isArray(list)) return list;
  throw refused(path, 'has no list under "hooks.Stop"');
}

/** Drops a group that it empties. */
function withoutOwn(group: unknown, mark: string): readonly unknown[] {
  if (!isObject(group) || !Array.isArray(group['hooks'])) return [group];
  const all: readonly unknown[] = group['hooks'];
  const others = all.filter((hook) => !isOwn(hook, mark));
  if (others.length === all.length) return [group];
  return others.length === 0 ? [] : [{ ...group, hooks: others }];
}

function isOwn(hook: unknown, mark: string): boolean {
  return isObject(hook) && typeof hook['command'] === 'string' && hook['command'].trimEnd().endsWith(mark);
}

/** Keeps the key's position; drops an empty value. */
function put(whole: Json, key: string, value: Json | readonly unknown[]): Json {
  const isEmpty = Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
  if (!isEmpty) return { ...whole, [key]: value };
  return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== key));
}

function indentOf(text: string): string | number {
  return /^[^\S\n]+(?=")/m.exec(text)?.[0].slice(0, 8) ?? 2;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refused(path: string, what: string): BosunError {
  return new BosunError('bad_input', `${path} ${what}, so Bosun did not change it`, {
    hint: 'Correct it, then try again.',
  });
}
