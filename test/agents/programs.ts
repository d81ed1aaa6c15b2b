// The real programs: they are installed into this folder, never among the product's dependencies.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export type AgentKind = 'claude' | 'codex' | 'opencode';

const packages: Readonly<Record<AgentKind, string>> = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  opencode: 'opencode-ai',
};

/** Where they are; bundled, this file is somewhere else. */
const modules = process.env['AGENTS_MODULES'] ?? join(import.meta.dirname, 'node_modules');

export function programOf(kind: AgentKind): string {
  return join(modules, '.bin', kind);
}

/** Null: it is not installed. */
export function versionOf(kind: AgentKind): string | null {
  const file = join(modules, packages[kind], 'package.json');
  if (!existsSync(programOf(kind)) || !existsSync(file)) return null;
  return z.looseObject({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}

/** The bwrap that Codex brings for its sandbox; null where it needs none. */
export function bwrapOfCodex(): string | null {
  const folder = join(modules, '@openai');
  if (!existsSync(folder)) return null;
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const found = names.find((name) => name.endsWith(join('codex-resources', 'bwrap')));
  return found === undefined ? null : join(folder, found);
}
