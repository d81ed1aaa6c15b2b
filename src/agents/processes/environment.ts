// Security: an allow-list, executor settings and BOSUN_ variables. No secret of the service reaches an agent.
import { dirname, join } from 'node:path';
import { type Environment, isInside, pick, plainEnvironment } from '../../base/index.js';
import type { AttemptSpec } from '../../jobs/index.js';

export type { Environment } from '../../base/index.js';

/** The whole attempt, or a team member's part of it. */
export interface Seat extends AttemptSpec {
  readonly role?: string;
}

export function agentEnvironment(spec: Seat, parent: Environment): Record<string, string> {
  const passed = (spec.executor?.passEnv ?? []).flatMap((name) => pick(parent, name));
  return {
    ...checkEnvironment(spec, parent),
    ...Object.fromEntries(passed),
    ...spec.executor?.env,
    ...attemptVariables(spec),
  };
}

/** Security: the owner's checks run an agent's code, so they get no `passEnv` or executor variables. */
export function checkEnvironment(spec: Seat, parent: Environment): Record<string, string> {
  return { ...plainEnvironment(parent), ...attemptVariables(spec) };
}

export interface AttemptPaths {
  readonly reportFolder: string;
  readonly resultFile: string;
  readonly handoffFile: string;
  readonly editsFolder: string;
  readonly editsFile: string;
  /** Append-only; each attempt has its own. */
  readonly scratchFile: string;
  readonly itemScratchFile: string;
  readonly progressFile: string;
}

/** The nearest parent that no agent creates; folders between are checked for links. */
export function baseOf(spec: Pick<AttemptSpec, 'root' | 'workdir' | 'sharedDir'>, path: string): string {
  const bases = [spec.root, spec.workdir, dirname(spec.sharedDir)];
  return bases.find((base) => base !== '' && path !== base && isInside(base, path)) ?? dirname(path);
}

export function attemptPaths(spec: Seat): AttemptPaths {
  const edits = fileName(spec.item === '' ? spec.run : spec.item);
  // A worktree goes with its branch; files for Bosun must survive.
  const editsFolder = spec.slot === null ? spec.workdir : spec.sharedDir;
  return {
    ...reportPaths(spec),
    editsFolder,
    editsFile: join(editsFolder, 'workflow_edits', `${edits}.json`),
    scratchFile: join(spec.sharedDir, 'scratch', `${spec.attempt}.global.append.md`),
    itemScratchFile: join(spec.sharedDir, 'scratch', `${spec.attempt}.append.md`),
    progressFile: join(spec.sharedDir, 'progress.txt'),
  };
}

/** Members share a folder, so each gets files of its own. */
function reportPaths(spec: Seat): Pick<AttemptPaths, 'reportFolder' | 'resultFile' | 'handoffFile'> {
  const ai = join(spec.workdir, '.ai');
  if (spec.role === undefined && !spec.isBeside) {
    return {
      reportFolder: spec.workdir,
      resultFile: join(ai, 'executor-result'),
      handoffFile: join(ai, 'HANDOFF.md'),
    };
  }
  const own = join(spec.sharedDir, 'team', spec.attempt, fileName(spec.role ?? 'own'));
  return {
    reportFolder: spec.sharedDir,
    resultFile: join(own, 'executor-result'),
    handoffFile: join(own, 'HANDOFF.md'),
  };
}

/** Null: no team. */
export function taskOf(spec: Seat): string | null {
  return spec.role === undefined ? null : `${spec.attempt}.${fileName(spec.role)}`;
}

/** Marks every process that the executor started. */
export function processMark(spec: Seat): string {
  const task = taskOf(spec);
  // Members share a token, which would end them all.
  return task === null ? `BOSUN_TOKEN=${spec.token}` : `BOSUN_TASK=${task}`;
}

export function fileName(text: string): string {
  return text.replaceAll(/[^\w.-]/g, '-').replace(/^\.+/, '-');
}

export function attemptVariables(spec: Seat): Record<string, string> {
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
    BOSUN_SCRATCH_FILE: paths.scratchFile,
    BOSUN_ITEM_SCRATCH_FILE: paths.itemScratchFile,
    BOSUN_URL: spec.url,
    ...(spec.keepsProgress ? { BOSUN_PROGRESS_FILE: paths.progressFile } : {}),
    ...slotVariables(spec.slot, spec.sharedDir),
    ...memberVariables(spec),
  };
}

/** Keeps parallel stories' containers apart, under names that users' scripts read. */
function slotVariables(slot: number | null, sharedDir: string): Record<string, string> {
  if (slot === null) return {};
  return { BOSUN_SLOT: String(slot), COMPOSE_PROJECT_NAME: `ralph_agent_${slot}`, RALPH_SHARED_DIR: sharedDir };
}

function memberVariables(spec: Seat): Record<string, string> {
  const task = taskOf(spec);
  return spec.role === undefined || task === null ? {} : { BOSUN_ROLE: spec.role, BOSUN_TASK: task };
}
