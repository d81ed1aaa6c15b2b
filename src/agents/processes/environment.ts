// What an agent's process may know: a short list of Bosun's own environment, what the executor's settings add, and the
// BOSUN_ variables of the attempt. Nothing else, so that no secret of the service reaches an agent.
import { dirname, join } from 'node:path';
import { type Environment, pick, plainEnvironment } from '../../base/index.js';
import type { AttemptSpec } from '../../jobs/index.js';
import { isWithin } from './safe-read.js';

export type { Environment } from '../../base/index.js';

/** Where one executor sits at an attempt: all of it, or the part that is one member's of its team. */
export interface Seat extends AttemptSpec {
  readonly role?: string;
}

/** The environment of an agent. */
export function agentEnvironment(spec: Seat, parent: Environment): Record<string, string> {
  const passed = (spec.executor?.passEnv ?? []).flatMap((name) => pick(parent, name));
  return {
    ...checkEnvironment(spec, parent),
    ...Object.fromEntries(passed),
    ...spec.executor?.env,
    ...attemptVariables(spec),
  };
}

/** The environment of the owner's own test and check lines: they run what an agent wrote, so they learn no more. */
export function checkEnvironment(spec: Seat, parent: Environment): Record<string, string> {
  return { ...plainEnvironment(parent), ...attemptVariables(spec) };
}

export interface AttemptPaths {
  /** The folder that reports must not lead out of. */
  readonly reportFolder: string;
  readonly resultFile: string;
  readonly handoffFile: string;
  /** The folder that edits must not lead out of. */
  readonly editsFolder: string;
  readonly editsFile: string;
  /** Appended to by this attempt alone: what all stories should know, and what this one should. */
  readonly scratchFile: string;
  readonly itemScratchFile: string;
  readonly progressFile: string;
}

/** The folder above a path of an attempt's that no agent makes: everything between the two is looked at for links. */
export function baseOf(spec: Pick<AttemptSpec, 'root' | 'workdir' | 'sharedDir'>, path: string): string {
  const bases = [spec.root, spec.workdir, dirname(spec.sharedDir)];
  return bases.find((base) => base !== '' && path !== base && isWithin(base, path)) ?? dirname(path);
}

/** Where an attempt, or a member of its team, may leave what it has to say. */
export function attemptPaths(spec: Seat): AttemptPaths {
  const edits = fileName(spec.item === '' ? spec.run : spec.item);
  // What a worktree holds comes and goes with its branch; what is for Bosun does not.
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

/** Members of a team and of a wave work side by side in one folder: each has report files that no other writes. */
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

/** What a member of a team is at work on; null where one executor does all of it. */
export function taskOf(spec: Seat): string | null {
  return spec.role === undefined ? null : `${spec.attempt}.${fileName(spec.role)}`;
}

/** The one variable by which everything that an executor started is found again. */
export function processMark(spec: Seat): string {
  const task = taskOf(spec);
  // Members share a token; by it, the end of one would be the end of all.
  return task === null ? `BOSUN_TOKEN=${spec.token}` : `BOSUN_TASK=${task}`;
}

/** A name that stays one file in its folder, whatever is in it. */
export function fileName(text: string): string {
  return text.replaceAll(/[^\w.-]/g, '-').replace(/^\.+/, '-');
}

function attemptVariables(spec: Seat): Record<string, string> {
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

/** Stories side by side must not meet in containers either; the names are those that people's scripts go by. */
function slotVariables(slot: number | null, sharedDir: string): Record<string, string> {
  if (slot === null) return {};
  return { BOSUN_SLOT: String(slot), COMPOSE_PROJECT_NAME: `ralph_agent_${slot}`, RALPH_SHARED_DIR: sharedDir };
}

function memberVariables(spec: Seat): Record<string, string> {
  const task = taskOf(spec);
  return spec.role === undefined || task === null ? {} : { BOSUN_ROLE: spec.role, BOSUN_TASK: task };
}
