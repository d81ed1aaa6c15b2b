import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { BosunError, errnoOf } from '../../base/index.js';
import type { Problem } from '../../engine/index.js';
import type { Config } from '../config.js';
import type { Home, HomeOfConfig } from '../home/home.js';
import { completed } from './complete-config.js';
import { findContradictions } from './cross-checks.js';
import { type Environment, interpolate, variablesIn } from './interpolate.js';
import { configSchema } from './schema.js';
import { badConfig, type Path, parseYaml, type YamlText } from './yaml-text.js';

export type ConfigReading =
  | { readonly kind: 'good'; readonly config: Config }
  | { readonly kind: 'bad'; readonly problems: readonly Problem[] };

/** A missing file is empty. */
export function loadConfig(home: HomeOfConfig, env: Environment): Config {
  const reading = readConfig(home, readConfigText(home), env);
  if (reading.kind === 'good') return reading.config;
  throw badConfig(reading.problems, `Fix ${home.configPath}; docs/configuration.md lists every key.`);
}

export function checkConfig(home: HomeOfConfig, env: Environment): ConfigReading {
  try {
    return readConfig(home, readConfigText(home), env);
  } catch (error) {
    if (!(error instanceof BosunError)) throw error;
    return bad([{ file: home.configPath, line: 1, column: 1, message: `${error.message}. ${error.hint}` }]);
  }
}

export function readConfigText(home: Pick<Home, 'configPath'>): string {
  try {
    return readFileSync(home.configPath, 'utf8');
  } catch (cause) {
    const errno = errnoOf(cause);
    if (errno === 'ENOENT') return '';
    throw new BosunError('disk', `Cannot read ${home.configPath} (${errno})`, {
      hint: 'It must be a file that the user who runs Bosun can read.',
      cause,
    });
  }
}

export function readConfig(home: HomeOfConfig, text: string, env: Environment): ConfigReading {
  const { configPath: path, agents, channels, reservedWords } = home;
  const yaml = parseYaml(path, text);
  if (yaml.problems.length > 0) return { kind: 'bad', problems: yaml.problems };
  const parsed = configSchema(home).safeParse(interpolate(yaml.value, env));
  if (!parsed.success) return bad(parsed.error.issues.flatMap((issue) => problemsOf(yaml, issue)));
  const config = completed(parsed.data, {
    ...{ path, agents, channels, reservedWords, folder: dirname(path), revision: revisionOf(text), env },
    unsetRedis: unsetIn(yaml.value, ['queue', 'redis'], env),
  });
  const contradictions = findContradictions(parsed.data, config);
  if (contradictions.length === 0) return { kind: 'good', config };
  return bad(contradictions.map((it) => yaml.problemAt(it.path, it.part, it.message)));
}

export function revisionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function bad(problems: readonly Problem[]): ConfigReading {
  const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
  return { kind: 'bad', problems: sorted };
}

function problemsOf(yaml: YamlText, issue: z.core.$ZodIssue): readonly Problem[] {
  const path = issue.path;
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    const where = path.length === 0 ? '' : ` in ${named(path)}`;
    return issue.keys.map((key, index) => yaml.problemAt([...path, key], 'key', inserted(messages[index], where)));
  }
  if (issue.code === 'invalid_key') {
    const message = `${named(path.slice(0, -1))}: ${issue.issues[0]?.message ?? issue.message}`;
    return [yaml.problemAt(path, 'key', message)];
  }
  const what = issue.code === 'invalid_type' && isAbsent(yaml.value, path) ? 'is missing' : issue.message;
  return [yaml.problemAt(path, 'value', `${named(path)} ${what}`)];
}

/** Puts the position before the suggestion. */
function inserted(message = 'unknown key', where: string): string {
  const [said, ...rest] = message.split(';');
  return [`${said}${where}`, ...rest].join(';');
}

/** Null: no variable is unset. */
function unsetIn(value: unknown, path: Path, env: Environment): string | null {
  const text = valueAt(value, path);
  return typeof text === 'string' ? (variablesIn(text).find((name) => !env[name]?.trim()) ?? null) : null;
}

function isAbsent(value: unknown, path: Path): boolean {
  return valueAt(value, path) === undefined;
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = Reflect.get(at, step);
  }
  return at;
}

/** `projects.shop.aliases[0]` */
function named(path: Path): string {
  if (path.length === 0) return 'the file';
  return path.reduce<string>((said, step) => {
    if (typeof step === 'number') return `${said}[${step}]`;
    return said === '' ? String(step) : `${said}.${String(step)}`;
  }, '');
}
