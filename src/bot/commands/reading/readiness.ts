// Told with the proposal instead of after Start. Refuses only certain failures.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Config, ProjectConfig } from '../../../config/index.js';
import { runsJob, type Workflow, walkedSteps } from '../../../engine/index.js';
import { type ExecutorConfig, isAgent } from '../../../jobs/index.js';

/** Null: nothing is known to be missing. */
export function whyNotReady(config: Config, project: ProjectConfig, workflow: Workflow): string | null {
  return whyNotCheckout(project) ?? (walkedSteps(workflow.chain).some(runsJob) ? whyNoAgent(config, project) : null);
}

function whyNotCheckout({ root }: ProjectConfig): string | null {
  const folder = statSync(root, { throwIfNoEntry: false });
  if (folder === undefined) return `${root} does not exist. Check the path, and that its disk is mounted.`;
  if (!folder.isDirectory()) return `${root} is not a folder. Give the project's folder in config.yaml.`;
  if (!isProgram('git', root, process.env['PATH'])) return "git isn't installed on Bosun's computer. Install it.";
  return isUnderGit(root) ? null : `${root} is not under git. Run git init there and commit its files.`;
}

function isUnderGit(root: string): boolean {
  for (let folder = root; ; folder = dirname(folder)) {
    // A bare repository is reported later.
    if (existsSync(join(folder, '.git')) || existsSync(join(folder, 'HEAD'))) return true;
    if (dirname(folder) === folder) return false;
  }
}

function whyNoAgent({ executors, queue }: Config, { name, root, executor }: ProjectConfig): string | null {
  if (executor === null) {
    return Object.keys(executors).length > 0
      ? null
      : `No agent is set up for ${name} yet. Add one under executors in config.yaml.`;
  }
  const settings = executors[executor];
  // Other machines have their own programs.
  if (settings === undefined || queue.redis !== null) return null;
  const program = programOf(settings);
  if (program === null || isProgram(program, root, pathOf(settings))) return null;
  return `${program} isn't installed on Bosun's computer, and the executor ${executor} needs it. "bosun doctor" says more.`;
}

function programOf(executor: ExecutorConfig): string | null {
  if (isAgent(executor)) return executor.program ?? executor.kind;
  return executor.kind === 'command' ? (executor.run[0] ?? null) : null;
}

function pathOf(executor: ExecutorConfig): string | undefined {
  const own = 'env' in executor ? executor.env['PATH'] : undefined;
  return own ?? process.env['PATH'];
}

function isProgram(program: string, root: string, path: string | undefined): boolean {
  const files = program.includes('/')
    ? [resolve(root, program)]
    : (path ?? '').split(delimiter).map((folder) => join(folder, program));
  return files.some(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
