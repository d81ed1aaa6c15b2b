// What a child process may know: a short list of Bosun's own environment, what the executor's settings add, and the
// BOSUN_ variables of the attempt. Nothing else, so that no secret of the service reaches an agent.
import { join } from 'node:path';
import type { AttemptSpec } from '../job.js';

const ALLOWED_NAMES: readonly string[] = ['PATH', 'HOME', 'USER', 'SHELL', 'LANG', 'TZ', 'TMPDIR', 'SSH_AUTH_SOCK'];
const ALLOWED_PREFIXES: readonly string[] = ['LC_', 'XDG_'];
const PROXY_NAMES: readonly string[] = ['http_proxy', 'https_proxy', 'ftp_proxy', 'all_proxy', 'no_proxy'];

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of an agent. */
export function agentEnvironment(spec: AttemptSpec, parent: Environment): Record<string, string> {
  const passed = (spec.executor?.passEnv ?? []).flatMap((name) => pick(parent, name));
  return {
    ...checkEnvironment(spec, parent),
    ...Object.fromEntries(passed),
    ...spec.executor?.env,
    ...attemptVariables(spec),
  };
}

/** The environment of the owner's own test and check lines: they run what an agent wrote, so they learn no more. */
export function checkEnvironment(spec: AttemptSpec, parent: Environment): Record<string, string> {
  const allowed = Object.keys(parent).filter(isAllowed);
  return { ...Object.fromEntries(allowed.flatMap((name) => pick(parent, name))), ...attemptVariables(spec) };
}

export interface AttemptPaths {
  readonly resultFile: string;
  readonly handoffFile: string;
  readonly editsFile: string;
}

/** Where an attempt may leave its reports. */
export function attemptPaths(spec: AttemptSpec): AttemptPaths {
  const edits = (spec.item === '' ? spec.run : spec.item).replaceAll(/[^\w.-]/g, '-');
  return {
    resultFile: join(spec.workdir, '.ai', 'executor-result'),
    handoffFile: join(spec.workdir, '.ai', 'HANDOFF.md'),
    editsFile: join(spec.workdir, 'workflow_edits', `${edits}.json`),
  };
}

function attemptVariables(spec: AttemptSpec): Record<string, string> {
  const paths = attemptPaths(spec);
  return {
    BOSUN_PROJECT: spec.project,
    BOSUN_RUN: spec.run,
    BOSUN_ITEM: spec.item,
    BOSUN_NODE: spec.node,
    BOSUN_STEP: spec.step,
    BOSUN_LABEL: spec.label,
    BOSUN_ATTEMPT: String(spec.attemptNumber),
    BOSUN_TOKEN: spec.token,
    BOSUN_ROOT: spec.root,
    BOSUN_WORKDIR: spec.workdir,
    BOSUN_SHARED_DIR: spec.sharedDir,
    BOSUN_RESULT_FILE: paths.resultFile,
    BOSUN_HANDOFF_FILE: paths.handoffFile,
    BOSUN_EDITS_FILE: paths.editsFile,
    BOSUN_URL: spec.url,
  };
}

function isAllowed(name: string): boolean {
  return (
    ALLOWED_NAMES.includes(name) ||
    ALLOWED_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
    PROXY_NAMES.some((proxy) => name === proxy || name === proxy.toUpperCase())
  );
}

function pick(parent: Environment, name: string): readonly (readonly [string, string])[] {
  const value = parent[name];
  return value === undefined ? [] : [[name, value]];
}
