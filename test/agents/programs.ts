// The real programs: they are installed into this folder, never among the product's dependencies.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export type AgentKind = 'claude' | 'codex' | 'opencode';

/** An agent, or a program that puts one behind ACP. */
export type Program = AgentKind | 'claude-agent-acp';

const packages: Readonly<Record<Program, string>> = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  opencode: 'opencode-ai',
  'claude-agent-acp': '@agentclientprotocol/claude-agent-acp',
};

/** Where they are; bundled, this file is somewhere else. */
export const modulesFolder = process.env['AGENTS_MODULES'] ?? join(import.meta.dirname, 'node_modules');

export function programOf(kind: Program): string {
  return join(modulesFolder, '.bin', kind);
}

/** Null: it is not installed. */
export function versionOf(kind: Program): string | null {
  const file = join(modulesFolder, packages[kind], 'package.json');
  if (!existsSync(programOf(kind)) || !existsSync(file)) return null;
  return z.looseObject({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}

/** The bwrap that Codex brings for its sandbox; null where it needs none. */
export function bwrapOfCodex(): string | null {
  const folder = join(modulesFolder, '@openai');
  if (!existsSync(folder)) return null;
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const found = names.find((name) => name.endsWith(join('codex-resources', 'bwrap')));
  return found === undefined ? null : join(folder, found);
}
