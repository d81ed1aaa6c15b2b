// Checks which workers are alive, and whether they cover every project's jobs.

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
  const text = `what these take is refused, as they speak another version of the protocol: ${lines(foreign, watch)}`;
  return [...worksFindings(living, silent, watch), doubtful(title, text, 'Run the same Bosun on all machines.')];
}

function worksFindings(
  living: readonly SeenWorker[],
  silent: readonly SeenWorker[],
  watch: LivenessCheck,
): readonly Finding[] {
  if (living.length === 0) {
    if (silent.length === 0) return [doubtful(title, 'no worker gave a sign', start)];
    return [broken(title, `nobody works, as all fell silent: ${lines(silent, watch)}`, start)];
  }
  const taking = living.filter(({ isDraining }) => !isDraining);
  const none = `nobody takes what is due, as all are to end: ${lines(living, watch)}`;
  const works = taking.length === 0 ? broken(title, none, start) : fine(title, lines(living, watch));
  if (silent.length === 0) return [works];
  const mend = 'Look after its machine, or start it again: what it was at is tried elsewhere.';
  return [works, doubtful(title, `may be dead: ${lines(silent, watch)}`, mend)];
}

/** Jobs of these projects would wait forever. */
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
    const text = 'nobody does its work: no worker has the disk of the home, and it has no git.remote';
    return doubtful(where, text, 'Name its remote in git.remote, or start a worker on a machine that has the disk.');
  }
  const words = needs.filter((need) => need !== homeDisk).join(' and ');
  return doubtful(where, `nobody does its work: no worker can do ${words}`, `Start one there with --can ${words}.`);
}

function lines(workers: readonly SeenWorker[], watch: LivenessCheck): string {
  return workers
    .map((one) => workerLine(one, watch))
    .toSorted()
    .join('; ');
}
