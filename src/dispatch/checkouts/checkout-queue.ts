// Work on the projects' folders, one piece after another in each: what the engine wants done there, and the files that
// other tools read.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../base/index.js';
import { KeyedQueue } from '../../base/index.js';
import type { Config, Home, ProjectConfig } from '../../config/index.js';
import { type Chain, isRunOver, type WorkspaceOp, type WorkspaceResult } from '../../engine/index.js';
import type { AttemptRow, Spine, Store } from '../../store/index.js';
import { removeLogs } from '../../worker/index.js';
import { ExportGuard, exportRun, leavesNothing } from '../exports/index.js';
import type { MakePlan, Submitted } from '../plans/plan.js';
import { shownRun } from '../status/project-status.js';
import { workOnCheckout } from './checkout-operations.js';

/** What is read of live runs; their cache provides it. */
export interface CachedRuns {
  spine(run: string): Spine | null;
  chain(run: string, key: string): Chain | null;
}

export interface CheckoutsParts {
  /** It keeps the logs of attempts and a record of what was exported. */
  readonly home: Pick<Home, 'dir'>;
  readonly store: Store;
  readonly cache: CachedRuns;
  readonly config: () => Config;
  /** Where worktrees are made. */
  readonly worktrees: string;
  /** Retries until what it is given is on disk. */
  readonly keep: (work: MakePlan) => Promise<Submitted>;
  /** Called when something may have come to rest. */
  readonly onRest: () => void;
  readonly log: Log;
}

/** An agent that ignores its end is killed long before. */
const agentsEndMs = 10_000;
const lookMs = 50;

export class Checkouts {
  readonly #parts: CheckoutsParts;
  readonly #waitMs: number;
  /** Ids of the work that is under way. */
  readonly #ops = new Set<string>();
  readonly #lines: KeyedQueue;
  /** By export line: the runs whose files are stale, the last touched last, with the chains that changed; null: all. */
  readonly #stale = new Map<string, Map<string, ReadonlySet<string> | null>>();

  /** By the project's folder. */
  readonly #guards = new Map<string, ExportGuard>();

  constructor(parts: CheckoutsParts, waitMs = agentsEndMs) {
    this.#parts = parts;
    this.#waitMs = waitMs;
    this.#lines = new KeyedQueue({
      onError: (name, error) => this.#tell(name, error),
      onEmpty: parts.onRest,
    });
  }

  /** Does nothing where it is under way already. */
  perform(run: string, op: WorkspaceOp): void {
    if (this.#ops.has(op.id)) return;
    const { store, keep, onRest, worktrees } = this.#parts;
    const found = store.run(run);
    const name = found?.project ?? run;
    const project = this.#project(name);
    this.#ops.add(op.id);
    this.#lines.add(project?.root ?? '', async () => {
      try {
        const left = await this.#agentsGone(run, name, op);
        const result =
          left !== null
            ? stillAtWork(left)
            : project && found
              ? await workOnCheckout({ project, root: project.root, worktrees, run: found, store }, op)
              : gone(name);
        const chain = 'chain' in op ? op.chain : '';
        await keep((now) => ({ events: [{ type: 'workspace_done', run, chain, at: now.at, op: op.id, result }] }));
      } finally {
        this.#ops.delete(op.id);
        onRest();
      }
    });
  }

  /**
   * A killed agent may write until it is gone: until then nothing is taken from under it nor given back to a person, and
   * no other run takes over the checkout. Answers the run of an agent that a new run would meet, else null.
   */
  async #agentsGone(run: string, project: string, op: WorkspaceOp): Promise<string | null> {
    const isMeant = this.#meantBy(run, project, op);
    if (isMeant === null) return null;
    const find = () => this.#parts.store.openAttempts().find(isMeant) ?? null;
    let left = find();
    for (let waitedMs = 0; waitedMs < this.#waitMs && left !== null; waitedMs += lookMs) {
      await sleep(lookMs);
      left = find();
    }
    return op.kind === 'prepare' ? (left?.run ?? null) : null;
  }

  /** Which open attempts the work waits for; null: for none. */
  #meantBy(run: string, project: string, op: WorkspaceOp): ((row: AttemptRow) => boolean) | null {
    switch (op.kind) {
      case 'drop':
        return (row) => row.run === run && row.chain === op.chain;
      case 'restore':
      case 'leave':
        return (row) => row.run === run;
      case 'prepare':
        return (row) => row.run !== run && this.#parts.store.run(row.run)?.project === project;
      default:
        return null;
    }
  }

  /**
   * The run's files, or those of the chains that changed. A draft in line shows nothing while another run lives. Commits
   * that come while the project's files are written share the next export: one runs and one waits at most.
   */
  export(run: string, chains: readonly string[] | null): void {
    const { store, cache } = this.#parts;
    const spine = cache.spine(run);
    const project = spine && this.#project(spine.run.project);
    if (!spine || !project) return;
    if (spine.run.status === 'draft' && shownRun(store, project.name)?.id !== run) return;
    const line = exportLine(project);
    const waiting = this.#stale.get(line);
    const stale = waiting ?? new Map<string, ReadonlySet<string> | null>();
    const before = stale.get(run);
    // The run that was touched last is written last: some files have one name for all runs of a project.
    stale.delete(run);
    stale.set(run, chains === null || before === null ? null : new Set([...(before ?? []), ...chains]));
    if (waiting) return;
    this.#stale.set(line, stale);
    this.#lines.add(line, () => this.#exportStale(project, line));
  }

  async #exportStale(project: ProjectConfig, line: string): Promise<void> {
    const stale = this.#stale.get(line) ?? [];
    this.#stale.delete(line);
    for (const [run, chains] of stale) {
      // The files of one run that cannot be written keep no other's from being written.
      await this.#exportRun(project, run, chains).catch((error: unknown) => this.#tell(line, error));
    }
  }

  async #exportRun(project: ProjectConfig, run: string, chains: ReadonlySet<string> | null): Promise<void> {
    const { store, cache, home, log } = this.#parts;
    const spine = cache.spine(run);
    if (!spine) return;
    const keys = chains === null ? spine.items.map((item) => item.key) : [...chains];
    // Agents read them where they work, and everybody else in the project's own folder.
    const beside = isRunOver(spine.run.status) ? null : (spine.run.branch?.folder ?? null);
    for (const folder of beside !== null && existsSync(beside) ? [beside, project.root] : [project.root]) {
      const guard = folder === project.root ? this.#guard(project) : null;
      await exportRun(folder, spine, keys, (key) => cache.chain(run, key), { store, log, guard });
    }
    if (leavesNothing(spine.run)) await removeLogs(home, run);
  }

  #guard({ name, root }: ProjectConfig): ExportGuard {
    const known = this.#guards.get(root);
    if (known) return known;
    const { home, log } = this.#parts;
    const guard = new ExportGuard({
      home: home.dir,
      root,
      log: (message) => log(`${name}: ${message}`, { level: 'warn' }),
    });
    this.#guards.set(root, guard);
    return guard;
  }

  /** Of each project the run that it shows, be it one that ended just before its files were written. */
  exportAll(): void {
    const { store, config } = this.#parts;
    for (const { name } of config().projects) {
      const run = shownRun(store, name);
      // The newest one may be a one-shot run that ended before it was cleared away, which is shown nowhere.
      const [newest] = store.runs(name, 1, null);
      if (newest?.oneShot && newest.id !== run?.id) this.export(newest.id, null);
      if (run) this.export(run.id, null);
    }
  }

  isBusy(project: string | null): boolean {
    const { store, config } = this.#parts;
    const isMeant = (name: string | undefined) => project === null || name === project;
    // Also work that failed to begin, until the sweep performs it.
    if (store.unfinishedRuns().some((run) => run.ops.length > 0 && isMeant(run.project))) return true;
    // Whoever waited reads the files next.
    return config().projects.some((one) => isMeant(one.name) && this.#lines.has(exportLine(one)));
  }

  /** Resolves when all of it has ended, and what it began. */
  drain(): Promise<void> {
    return this.#lines.drain();
  }

  #project(name: string): ProjectConfig | null {
    return this.#parts.config().projects.find((one) => one.name === name) ?? null;
  }

  #tell(name: string, error: unknown): void {
    this.#parts.log(`${name}: ${String(error)}`, { level: 'error' });
  }
}

function exportLine(project: ProjectConfig): string {
  return `export ${project.root}`;
}

function stillAtWork(run: string): WorkspaceResult {
  const message = `An agent of ${run} is still at work in this project. Wait until it has ended, then retry.`;
  return { ok: false, code: 'blocked', message, files: [] };
}

function gone(name: string): WorkspaceResult {
  const message = `${name} is not in config.yaml any more. Put it back under projects, then retry.`;
  return { ok: false, code: 'blocked', message, files: [] };
}
