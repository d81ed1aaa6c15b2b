// A project's runs as the transaction sees them.
import { byPlace, type Run, type State } from '../../engine/index.js';
import type { Store } from '../../store/index.js';

const pastRunsLookedAt = 50;
const pastRunsTaken = 10;

export class ProjectRuns {
  readonly #store: Pick<Store, 'liveRuns' | 'failedRuns' | 'drafts' | 'runs'>;
  readonly #changed: readonly { readonly after: State }[];

  constructor(
    store: Pick<Store, 'liveRuns' | 'failedRuns' | 'drafts' | 'runs'>,
    changed: readonly { readonly after: State }[],
  ) {
    this.#store = store;
    this.#changed = changed;
  }

  live(project: string): Run | null {
    return this.holder(project) ?? underWayFirst(this.beside(project));
  }

  holder(project: string): Run | null {
    return underWayFirst(this.#open(project).filter(({ beside }) => !beside));
  }

  beside(project: string): readonly Run[] {
    return this.#open(project).filter(({ beside }) => beside);
  }

  underWay(project: string): readonly Run[] {
    return this.#open(project).filter(isUnderWay);
  }

  drafts(project: string): readonly Run[] {
    return this.#now(this.#store.drafts(project), project)
      .filter((run) => run.status === 'draft')
      .sort(byPlace);
  }

  /** `waiting`: tasks before this one. */
  ahead({ id, project }: Run): { readonly live: Run | null; readonly waiting: number } {
    const live = this.live(project);
    const drafts = this.drafts(project);
    const place = drafts.findIndex((one) => one.id === id);
    return { live: live?.id === id ? null : live, waiting: place < 0 ? drafts.length : place };
  }

  past({ project, workflow }: Run): readonly Run[] {
    const isLike = (one: Run) => one.status === 'completed' && one.workflow === workflow;
    return this.#store.runs(project, pastRunsLookedAt, null).filter(isLike).slice(0, pastRunsTaken);
  }

  /** A failed run stays open until a person ends it, because a person may retry it. */
  #open(project: string): readonly Run[] {
    const runs = this.#now([...this.#store.liveRuns(project), ...this.#store.failedRuns(project)], project);
    return runs.filter((run) => isUnderWay(run) || run.status === 'failed');
  }

  #now(stored: readonly Run[], project: string): readonly Run[] {
    const newest = new Map(stored.map((run) => [run.id, run]));
    for (const { after } of this.#changed) if (after.run.project === project) newest.set(after.run.id, after.run);
    return [...newest.values()].sort((a, b) => a.number - b.number);
  }
}

function isUnderWay({ status }: Run): boolean {
  return status === 'running' || status === 'paused';
}

function underWayFirst(runs: readonly Run[]): Run | null {
  return runs.find(isUnderWay) ?? runs[0] ?? null;
}
