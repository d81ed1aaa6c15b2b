// Security: an agent that edits a script of the checkout could run anything under an allowed line.
import { join } from 'node:path';
import { readFileWithin } from '../../processes/safe-read.js';
import type { AgentSeat } from '../port.js';
import { cutInput } from './patch-input.js';

/** Part of what a person allows. */
export const changedScriptTool = 'changed script';

export interface ScriptRequest {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

type Text = string | null;

/** By path in the work folder; null: none. */
export type ScriptTexts = Readonly<Record<string, Text>>;

interface ScriptChange {
  readonly name: string;
  readonly before: Text;
  readonly now: Text;
}

const maxDepth = 5;
const maxBytes = 256 * 1024;
const maxFiles = 200;
const manifest = 'package.json';
const makefiles = ['GNUmakefile', 'makefile', 'Makefile'];
const justfiles = ['justfile', 'Justfile', '.justfile'];
const managers = /^(?:npm|pnpm|yarn|bun)$/;
const shells = /^(?:sh|bash|dash|zsh|ksh|node|python3?|ruby|perl|tsx|ts-node)$/;
/** After these the next word is not a script, or not all of it. */
const noScript = /^(?:--test|-e|-c|-m|--eval|-p|--print)/;

/** Null: unchanged since the work began, or unknown. */
export function changedScript(line: string, seat: Pick<AgentSeat, 'workdir' | 'scripts'>): ScriptRequest | null {
  const { scripts, workdir } = seat;
  if (scripts === undefined) return null;
  const now = (path: string) => textIn(workdir, path);
  const before = (path: string) =>
    Object.hasOwn(scripts, path) ? (scripts[path]?.replaceAll('\r\n', '\n') ?? null) : now(path);
  const changes = changesIn(line, before, now);
  if (changes.length === 0) return null;
  const shown = changes.map((one) => [one.name, diffWords(one)] as const);
  return { tool: changedScriptTool, input: cutInput({ line, ...Object.fromEntries(shown) }) };
}

export async function scriptTexts(
  lines: readonly string[],
  read: (paths: readonly string[]) => Promise<ScriptTexts>,
): Promise<ScriptTexts> {
  let found: ScriptTexts = {};
  let wanted = lines.flatMap((line) => filesOf(line));
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const fresh = [...new Set(wanted)].filter((path) => !Object.hasOwn(found, path)).slice(0, maxFiles);
    if (fresh.length === 0) break;
    found = { ...found, ...(await read(fresh)) };
    wanted = Object.values(scriptsIn(found[manifest] ?? null)).flatMap((line) => filesOf(line));
  }
  return found;
}

export function scriptWarning(line: string, seat: Pick<AgentSeat, 'workdir' | 'scripts'>): string | null {
  const request = changedScript(line, seat);
  if (request === null) return null;
  const names = Object.keys(request.input).filter((name) => name !== 'line' && name !== 'chars' && name !== 'sha256');
  return `the check "${line}" ran a changed script: ${names.join(', ')}`;
}

type Read = (path: string) => Text;

function changesIn(
  line: string,
  before: Read,
  now: Read,
  depth = 0,
  seen = new Set<string>(),
): readonly ScriptChange[] {
  if (depth >= maxDepth || seen.has(line)) return [];
  seen.add(line);
  return commandsIn(line).flatMap((words) => {
    const entries = entriesOf(words);
    if (entries.length === 0) return filesRunBy(words).flatMap((path) => changeOf(path, before(path), now(path)));
    const [old, fresh] = [scriptsIn(before(manifest)), scriptsIn(now(manifest))];
    return entries.flatMap((entry) => {
      const [was, is] = [old[entry] ?? null, fresh[entry] ?? null];
      const further = is === null ? [] : changesIn(is, before, now, depth + 1, seen);
      return [...changeOf(`${manifest}, script "${entry}"`, was, is), ...further];
    });
  });
}

function changeOf(name: string, before: Text, now: Text): readonly ScriptChange[] {
  return before === now || now === null ? [] : [{ name, before, now }];
}

function commandsIn(line: string): readonly (readonly string[])[] {
  return line.split(/&&|\|\||[;|&\n]/).map((part) => {
    const words = (part.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/s, '$2'));
    const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word) && !/^(?:env|time|exec|command)$/.test(word));
    return first < 0 ? [] : words.slice(first);
  });
}

/** Includes entries that the package manager runs around these. */
function entriesOf([program = '', ...rest]: readonly string[]): readonly string[] {
  if (!managers.test(program)) return [];
  const [first = '', second = ''] = rest.filter((word) => !word.startsWith('-'));
  const said = /^(?:run|run-script|rum|urn)$/.test(first) ? second : first;
  const name = program === 'npm' && /^(?:t|tst)$/.test(said) ? 'test' : said;
  return name === '' ? [] : [`pre${name}`, name, `post${name}`];
}

function filesRunBy([program = '', ...rest]: readonly string[]): readonly string[] {
  if (/^g?make$/.test(program)) return namedBy(rest, '-f') ?? makefiles;
  if (program === 'just') return namedBy(rest, '-f') ?? justfiles;
  if (program.includes('/')) return withinWork(program);
  if (!shells.test(program) && program !== '.' && program !== 'source') return [];
  if (rest.some((word) => noScript.test(word))) return [];
  return withinWork(rest.find((word) => !word.startsWith('-')) ?? '');
}

function filesOf(line: string): readonly string[] {
  return commandsIn(line).flatMap((words) => (managers.test(words[0] ?? '') ? [manifest] : filesRunBy(words)));
}

function namedBy(words: readonly string[], option: string): readonly string[] | null {
  const at = words.indexOf(option);
  return at < 0 ? null : withinWork(words[at + 1] ?? '');
}

/** An agent may not edit other files unasked. */
function withinWork(path: string): readonly string[] {
  const plain = path.replace(/^(?:\.\/)+/, '');
  return plain === '' || plain.startsWith('/') || plain.split('/').includes('..') ? [] : [plain];
}

function scriptsIn(text: Text): Readonly<Record<string, string>> {
  try {
    const { scripts }: { scripts?: unknown } = JSON.parse(text ?? '{}') ?? {};
    const entries = typeof scripts === 'object' && scripts !== null ? Object.entries(scripts) : [];
    return Object.fromEntries(entries.filter((one): one is [string, string] => typeof one[1] === 'string'));
  } catch {
    // A package manager would not run it either.
    return {};
  }
}

function textIn(workdir: string, path: string): Text {
  const file = readFileWithin(workdir, join(workdir, path), maxBytes);
  if (file.type === 'absent') return null;
  return file.type === 'text' ? file.text.replaceAll('\r\n', '\n') : `(${file.why})`;
}

function diffWords({ before, now }: ScriptChange): string {
  const [old, fresh] = [before === null ? [] : before.split('\n'), (now ?? '').split('\n')];
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const cut = (lines: readonly string[], sign: string) =>
    lines.slice(start, lines.length - end).map((line) => `${sign} ${line}`);
  const where = fresh.length > 1 ? [`from line ${start + 1}:`] : [];
  return ['', ...where, ...cut(old, '-'), ...cut(fresh, '+')].join('\n');
}
