// Live workers should cover every project's jobs.

import { broken, doubtful, type Finding, fine } from '../../bot/index.js';
import { type Config, checkConfig, type ProjectConfig } from '../../config/index.js';
import { isSilent, isTaking, type LivenessCheck } from '../../dispatch/index.js';
import { homeDisk } from '../../jobs/index.js';
import type { SeenWorker } from '../../queue/index.js';
import type { CommandContext } from '../command-context.js';
import { workerLine } from '../service/worker-list.js';

const title = 'queue workers';

const start = 'Start one with "bosun worker", or "bosun up" without --no-worker.';

export function workerFindings(seen: readonly SeenWorker[], watch: LivenessCheck): readonly Finding[] {
  const [own, foreign] = [seen.filter(({ isForeign }) => !isForeign), seen.filter(({ isForeign }) => isForeign)];
  const [silent, living] = [own.filter(({ at }) => isSilent(at, watch)), own.filter(({ at }) => !isSilent(at, watch))];
  if (foreign.length === 0) return worksFindings(living, silent, watch);
  const text = `these workers use another protocol version, so Bosun refuses their results: ${lines(foreign, watch)}`;
  return [
    ...worksFindings(living, silent, watch),
    doubtful(title, text, 'Run the same version of Bosun on all machines.'),
  ];
}

function worksFindings(
  living: readonly SeenWorker[],
  silent: readonly SeenWorker[],
  watch: LivenessCheck,
): readonly Finding[] {
  if (living.length === 0) {
    if (silent.length === 0) return [doubtful(title, 'no worker is running', start)];
    return [broken(title, `no worker is alive; no recent heartbeat from: ${lines(silent, watch)}`, start)];
  }
  const taking = living.filter(({ isDraining }) => !isDraining);
  const none = `no worker takes new jobs, because all are shutting down: ${lines(living, watch)}`;
  const works = taking.length === 0 ? broken(title, none, start) : fine(title, lines(living, watch));
  if (silent.length === 0) return [works];
  const mend = 'Check its machine, or restart the worker. Another worker retries its jobs.';
  return [works, doubtful(title, `may be dead: ${lines(silent, watch)}`, mend)];
}

/** Their jobs would wait forever. */
export function projectsWithoutWorker(
  { home, shell }: CommandContext,
  seen: readonly SeenWorker[],
  watch: LivenessCheck,
): readonly Finding[] {
  const reading = checkConfig(home, shell.env);
  const able = seen.filter((one) => isTaking(one.at, one, watch));
  if (reading.kind === 'bad' || able.length === 0) return [];
  return reading.config.projects.flatMap((project) => {
    const needs = needsOf(reading.config, project);
    return able.some((worker) => needs.every((need) => canDo(worker, need))) ? [] : [nobody(project, needs, able)];
  });
}

function needsOf({ executors }: Config, { executor, git }: ProjectConfig): readonly string[] {
  const abilities = executor === null ? [] : (executors[executor]?.needs ?? []);
  return git.remote === null ? [...abilities, homeDisk] : abilities;
}

function canDo({ can, isAway }: SeenWorker, need: string): boolean {
  return need === homeDisk ? !isAway : can.includes(need);
}

function nobody({ name }: ProjectConfig, needs: readonly string[], able: readonly SeenWorker[]): Finding {
  const where = `project ${name}`;
  if (needs.includes(homeDisk) && able.every(({ isAway }) => isAway)) {
    const text = "no worker can run its steps: none has access to the home's disk, and the project has no git.remote";
    return doubtful(where, text, 'Set git.remote, or start a worker on a machine with access to that disk.');
  }
  const words = needs.filter((need) => need !== homeDisk).join(' and ');
  return doubtful(
    where,
    `no worker can run its steps: none has the ability ${words}`,
    `Start a worker with --can ${words}.`,
  );
}

function lines(workers: readonly SeenWorker[], watch: LivenessCheck): string {
  return workers
    .map((one) => workerLine(one, watch))
    .toSorted()
    .join('; ');
}
