// In a clone there may be no `bosun` on the PATH: prints a command that a person can run.
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Environment } from './plain-environment.js';

export interface CommandPlace {
  readonly env: Environment;
  readonly cwd: string;
  readonly program: string;
}

/** `bosun` if on the PATH, else the clone's `./bin/bosun`. */
export function commandName({ env, cwd, program }: CommandPlace): string {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  if (folders.some((folder) => existsSync(join(folder, 'bosun')))) return 'bosun';
  const root = dirname(dirname(program));
  const own = join(root, 'bin', 'bosun');
  if (!existsSync(own) || !existsSync(join(root, 'src'))) return 'bosun';
  return root === cwd ? './bin/bosun' : own;
}

const subcommands =
  'up|init|say|press|status|projects|runs|show|stories|history|inbox|log|diff|cost|run|import|export|workflow|hook|web|worker|member|pair|doctor|verify|mcp|parse|replay|rules|demo|queue|service|step';
const spelled = new RegExp(`(?<![\\w/.@-])bosun (?=(?:${subcommands})\\b)`, 'g');
let known: string | null = null;

export function spellCommands(text: string, place?: CommandPlace): string {
  known ??= commandName({ env: process.env, cwd: process.cwd(), program: process.argv[1] ?? '' });
  const name = place === undefined ? known : commandName(place);
  return name === 'bosun' ? text : text.replaceAll(spelled, `${name} `);
}
