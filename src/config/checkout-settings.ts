// Finds agent settings that a checkout brings. Untrusted: shows counts and fixed words only.
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type AgentConfig, type ExecutorConfig, isAgent } from '../jobs/index.js';

const maxBytes = 256 * 1024;

export interface CheckoutSettings {
  readonly text: string;
  /** `permission: bypass`, also from a role. */
  readonly counts: boolean;
}

/** Null: none for this executor. */
export function checkoutSettings(root: string, executor: ExecutorConfig | undefined): CheckoutSettings | null {
  if (executor === undefined || !isAgent(executor)) return null;
  const found = (lookers[executor.kind] ?? (() => []))(root);
  if (found.length === 0) return null;
  const counts = isBypassed(executor);
  const what = counts ? 'they count wherever permission is bypass' : `Bosun keeps ${executor.kind} from reading them`;
  return { text: `This checkout brings ${found.join(', ')}; ${what}`, counts };
}

/** An executor that prompts once cannot ask; null: it can, or should not. */
export function muteExecutor(executor: ExecutorConfig | undefined): string | null {
  if (executor === undefined || !isAgent(executor) || executor.permission !== 'ask') return null;
  const { mode } = executor.own ?? {};
  if (mode !== 'exec' && mode !== 'run') return null;
  return `${executor.kind} with mode: ${mode} cannot ask you for permission; its own rules and its sandbox decide`;
}

function isBypassed({ permission, roles }: AgentConfig): boolean {
  return [permission, ...Object.values(roles).map((role) => role.permission)].includes('bypass');
}

const lookers: Readonly<Record<string, (root: string) => readonly string[]>> = {
  claude: (root) => [
    ...['.claude/settings.json', '.claude/settings.local.json'].flatMap((path) => named(root, path, inSettings)),
    ...named(root, '.mcp.json', ({ mcpServers }) => [counted(sizeOf(mcpServers), 'MCP server')]),
  ],
  codex: (root) => [
    ...(textIn(root, '.codex/config.toml') === null ? [] : ['.codex/config.toml']),
    ...named(root, '.codex/hooks.json', ({ hooks }) => [counted(foreignHooks(hooks), 'hook')]),
    ...ruleFiles(root).map((name) => `.codex/rules/${name}`),
  ],
  opencode: (root) =>
    ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json'].filter((path) => textIn(root, path) !== null),
};

/** Omits files that grant nothing; names unreadable ones. */
function named(root: string, path: string, look: (json: Json) => readonly string[]): readonly string[] {
  const text = textIn(root, path);
  if (text === null) return [];
  const json = jsonOf(text);
  if (json === null) return [path];
  const words = look(json).filter((word) => word !== '');
  return words.length === 0 ? [] : [`${path} (${words.join(', ')})`];
}

const object = z.record(z.string(), z.unknown());
type Json = z.infer<typeof object>;

const list = z.array(z.unknown());
const hookGroups = z.record(z.string(), z.array(z.looseObject({ hooks: z.array(z.looseObject({})).default([]) })));

function inSettings({ permissions, hooks, env, apiKeyHelper, enabledPlugins }: Json): readonly string[] {
  const { allow, defaultMode } = object.safeParse(permissions).data ?? {};
  return [
    counted(list.safeParse(allow).data?.length ?? 0, 'allow rule'),
    counted(foreignHooks(hooks), 'hook'),
    counted(sizeOf(env), 'variable'),
    counted(sizeOf(enabledPlugins), 'plugin'),
    apiKeyHelper === undefined ? '' : 'a key helper',
    defaultMode === undefined ? '' : 'a permission mode',
  ];
}

/** An unknown form counts as one hook. */
function foreignHooks(hooks: unknown): number {
  if (hooks === undefined) return 0;
  const groups = hookGroups.safeParse(hooks).data;
  if (groups === undefined) return 1;
  const all = Object.values(groups).flatMap((list) => list.flatMap((group) => group.hooks));
  return all.filter(({ command }) => typeof command !== 'string' || !/# bosun hook \S+\s*$/.test(command)).length;
}

function sizeOf(value: unknown): number {
  return Object.keys(object.safeParse(value).data ?? {}).length;
}

function counted(count: number, what: string): string {
  return count === 0 ? '' : `${count} ${what}${count === 1 ? '' : 's'}`;
}

function jsonOf(text: string): Json | null {
  try {
    return object.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Not JSON, or with comments.
    return null;
  }
}

const maxRuleFiles = 5;

/** Security: the checkout chose the names, so only plain ones are shown. */
function ruleFiles(root: string): readonly string[] {
  try {
    const names = readdirSync(join(root, '.codex', 'rules')).filter((name) => name.endsWith('.rules'));
    const plain = names.filter((name) => /^[\w.-]{1,40}$/.test(name)).slice(0, maxRuleFiles);
    return plain.length === 0 && names.length > 0 ? ['*.rules'] : plain;
  } catch {
    return [];
  }
}

/** Null: no file. The content of an unreadable one counts as unknown. */
function textIn(root: string, path: string): string | null {
  let file: number;
  try {
    file = openSync(join(root, path), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stat = fstatSync(file);
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(file, 'utf8') : '';
  } finally {
    closeSync(file);
  }
}
