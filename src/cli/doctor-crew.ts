// The doctor's look at workers: who they are, and whether there is one for every project's jobs.
import { type Config, checkConfig, homeDisk, type ProjectConfig, type SeenWorker } from '../dispatch/index.js';
import type { Cli } from './cli.js';
import { doubtful, type Finding, fine } from './doctor.js';
import { workerLine } from './seen-workers.js';

const title = 'queue workers';

export function workerFindings(seen: readonly SeenWorker[]): readonly Finding[] {
  const [own, foreign] = [seen.filter(({ isForeign }) => !isForeign), seen.filter(({ isForeign }) => isForeign)];
  const mend = 'Start one with "bosun worker", or "bosun up" without --no-worker.';
  const works = own.length === 0 ? doubtful(title, 'no worker gave a sign', mend) : fine(title, lines(own));
  if (foreign.length === 0) return [works];
  const text = `what these take is refused, as they speak another version of the protocol: ${lines(foreign)}`;
  return [works, doubtful(title, text, 'Run the same Bosun on all machines.')];
}

/** Jobs of these wait, and nobody comes for them. */
export function projectsWithoutWorker({ home, shell }: Cli, seen: readonly SeenWorker[]): readonly Finding[] {
  const reading = checkConfig(home, shell.env);
  const able = seen.filter(({ isForeign }) => !isForeign);
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

function lines(workers: readonly SeenWorker[]): string {
  const now = Date.now();
  return workers
    .map((one) => workerLine(one, now))
    .toSorted()
    .join('; ');
}
