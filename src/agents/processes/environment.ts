// Builds an agent's environment from an allow-list, the executor's settings and the BOSUN_ variables, so that no secret
// of the service reaches an agent. Also derives the paths of an attempt's files.
import { dirname, join } from 'node:path';
import { type Environment, isInside, pick, plainEnvironment } from '../../base/index.js';
import type { AttemptSpec } from '../../jobs/index.js';

export type { Environment } from '../../base/index.js';

/** The position of one executor in an attempt: the whole attempt, or one team member's part. */
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

/**
 * For the owner's test and check commands. They run code that an agent wrote, so they get no `passEnv` or executor
 * variables.
 */
export function checkEnvironment(spec: Seat, parent: Environment): Record<string, string> {
  return { ...plainEnvironment(parent), ...attemptVariables(spec) };
}

export interface AttemptPaths {
  /** Reports must not resolve to a path outside it. */
  readonly reportFolder: string;
  readonly resultFile: string;
  readonly handoffFile: string;
  /** Edits must not resolve to a path outside it. */
  readonly editsFolder: string;
  readonly editsFile: string;
  /** Append-only, one per attempt: notes for all stories, and for this story. */
  readonly scratchFile: string;
  readonly itemScratchFile: string;
  readonly progressFile: string;
}

/** The nearest parent of a path that no agent creates: every folder between the two is checked for links. */
export function baseOf(spec: Pick<AttemptSpec, 'root' | 'workdir' | 'sharedDir'>, path: string): string {
  const bases = [spec.root, spec.workdir, dirname(spec.sharedDir)];
  return bases.find((base) => base !== '' && path !== base && isInside(base, path)) ?? dirname(path);
}

export function attemptPaths(spec: Seat): AttemptPaths {
  const edits = fileName(spec.item === '' ? spec.run : spec.item);
  // A worktree is deleted with its branch; files for Bosun must survive it.
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

/** Members of a team or wave share one folder, so each gets its own report files. */
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

/** A team member's task id; null without a team. */
export function taskOf(spec: Seat): string | null {
  return spec.role === undefined ? null : `${spec.attempt}.${fileName(spec.role)}`;
}

/** The environment variable that identifies every process the executor started. */
export function processMark(spec: Seat): string {
  const task = taskOf(spec);
  // Members share a token; ending processes by it would end all members.
  return task === null ? `BOSUN_TOKEN=${spec.token}` : `BOSUN_TASK=${task}`;
}

/** Replaces every character that could make the name leave its folder. */
export function fileName(text: string): string {
  return text.replaceAll(/[^\w.-]/g, '-').replace(/^\.+/, '-');
}

/** What the attempt's own programs know of it. */
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

/** Keeps the containers of parallel stories apart. The names are the ones that existing scripts of users read. */
function slotVariables(slot: number | null, sharedDir: string): Record<string, string> {
  if (slot === null) return {};
  return { BOSUN_SLOT: String(slot), COMPOSE_PROJECT_NAME: `ralph_agent_${slot}`, RALPH_SHARED_DIR: sharedDir };
}

function memberVariables(spec: Seat): Record<string, string> {
  const task = taskOf(spec);
  return spec.role === undefined || task === null ? {} : { BOSUN_ROLE: spec.role, BOSUN_TASK: task };
}
