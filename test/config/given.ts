// Folders for the tests of the home: made under the system's temporary folder, gone after each test.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BosunError } from '../../src/base/error.js';
import { type ConfigReading, checkConfig } from '../../src/config/index.js';
import { cleanUpAfterEachTest } from '../clean-up.js';
import { type Home, openHome } from '../open-home.js';

const folders: string[] = [];

cleanUpAfterEachTest(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-home-')));
  folders.push(folder);
  return folder;
}

export function newHome(config?: string): Home {
  const home = openHome(join(newFolder(), 'home'));
  if (config !== undefined) writeFileSync(home.configPath, config);
  return home;
}

/** A folder that looks like a project under git. */
export function newProject(name = 'shop'): string {
  const root = join(newFolder(), name);
  mkdirSync(join(root, '.git'), { recursive: true });
  return root;
}

export function reading(config: string, env: Record<string, string> = {}): ConfigReading {
  return checkConfig(newHome(config), env);
}

/** Each problem as `line:column: message`. */
export function problemsOf(config: string, env: Record<string, string> = {}): readonly string[] {
  const read = reading(config, env);
  return read.kind === 'good' ? [] : read.problems.map((it) => `${it.line}:${it.column}: ${it.message}`);
}

export function failureOf(act: () => unknown): BosunError {
  try {
    act();
  } catch (error) {
    if (error instanceof BosunError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
