import { realpathSync } from 'node:fs';
import { type Document, isMap, isScalar, type YAMLMap } from 'yaml';
import { BosunError, errnoOf, replaceFile } from '../../base/index.js';
import type { Config } from '../config.js';
import type { HomeOfConfig } from '../home/home.js';
import { underEditLock } from '../home/lock.js';
import type { Environment } from './interpolate.js';
import { readConfig, readConfigText } from './read-config.js';
import { badConfig, parseYaml } from './yaml-text.js';

/** Processes take turns. Starts over if a person changed the file. */
const maxTries = 5;
const waitMs = 2_000;

/** Writes only a valid result. Synchronous, so two edits of a process never overlap. */
export function editConfig(home: HomeOfConfig, env: Environment, edit: (document: Document) => void): Config {
  return underEditLock(home.configPath, waitMs, () => editedAlone(home, env, edit));
}

function editedAlone(home: HomeOfConfig, env: Environment, edit: (document: Document) => void): Config {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const before = readConfigText(home);
    const after = edited(home, before, edit);
    const reading = readConfig(home, after, env);
    if (reading.kind === 'bad') throw refusal(home, env, before, reading.problems);
    if (readConfigText(home) !== before) continue;
    if (after !== before) write(home.configPath, after);
    return reading.config;
  }
  throw new BosunError('busy_home', `Another program keeps changing ${home.configPath}`, { hint: 'Try again.' });
}

export function mapAt(document: Document, path: readonly string[]): YAMLMap {
  const found = document.getIn(path);
  if (isMap(found)) {
    // Block style: `projects: {}` would keep one line.
    if (found.items.length === 0) found.flow = false;
    return found;
  }
  const made = document.createNode({}) as YAMLMap;
  const kept = document.getIn(path, true);
  if (isScalar(kept) && kept.comment) made.commentBefore = kept.comment;
  document.setIn(path, made);
  return made;
}

function edited(home: HomeOfConfig, before: string, edit: (document: Document) => void): string {
  const { document, problems } = parseYaml(home.configPath, before);
  if (problems.length > 0) throw badConfig(problems, `Fix ${home.configPath} first.`);
  if (document.contents === null) document.contents = document.createNode({});
  if (!isMap(document.contents)) {
    throw new BosunError('bad_config', `${home.configPath} must be a map of keys`, { hint: 'Fix it first.' });
  }
  const was = String(document);
  edit(document);
  // An edit that changes nothing must not reformat the file.
  return String(document) === was ? before : document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** Tells whether the file was invalid before this edit. */
function refusal(home: HomeOfConfig, env: Environment, before: string, problems: Parameters<typeof badConfig>[0]) {
  const earlier = readConfig(home, before, env);
  if (earlier.kind === 'bad') return badConfig(earlier.problems, `Fix ${home.configPath} first.`);
  const what = problems[0]?.message ?? 'the result would not be valid';
  return new BosunError('bad_config', `Cannot change ${home.configPath}: ${what}`, { hint: 'Nothing was changed.' });
}

function write(path: string, text: string): void {
  try {
    replaceFile(behindLinks(path), text);
  } catch (cause) {
    throw new BosunError('disk', `Cannot write ${path} (${errnoOf(cause) || 'unknown error'})`, {
      hint: 'Give the user that runs Bosun write access to that folder, and check that the disk is not full.',
      cause,
    });
  }
}

/** A symlinked config.yaml (dotfiles) stays a link. */
function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return path;
    throw error;
  }
}
