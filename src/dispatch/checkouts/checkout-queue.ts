// Serializes checkout operations and exports of a project.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../base/index.js';
import { KeyedQueue } from '../../base/index.js';
import { type Config, type Home, type ProjectConfig, projectWithName } from '../../config/index.js';
import { type Chain, isRunOver, type WorkspaceOp, type WorkspaceResult } from '../../engine/index.js';
import type { AttemptRow, Spine, Store } from '../../store/index.js';
import { removeLogs, removePictures } from '../../worker/index.js';
import { ExportGuard, exportRun, leavesNothing } from '../exports/index.js';
import { emptyPlan, type MakePlan, type Submitted } from '../plans/plan.js';
import { shownRun } from '../status/project-status.js';
import { workOnCheckout } from './checkout-operations.js';

export interface CachedRuns {
  spine(run: string): Spine | null;
  chain(run: string, key: string): Chain | null;
}

export interface CheckoutsParts {
  readonly home: Pick<Home, 'dir' | 'agents'>;
  readonly store: Store;
  readonly cache: CachedRuns;
  readonly config: () => Config;
  readonly worktrees: string;
  readonly keep: (work: MakePlan) => Promise<Submitted>;
  readonly onRest: () => void;
  readonly log: Log;
}

/** Longer than it takes to kill an agent. */
const agentsEndMs = 10_000;
const lookMs = 50;

export class Checkouts {
  readonly #parts: CheckoutsParts;
  readonly #waitMs: number;
  readonly #ops = new Set<string>();
  readonly #lines: KeyedQueue;
  /** Runs to export, the last touched last, with their changed chains (null: all). */
  readonly #stale = new Map<string, Map<string, ReadonlySet<string> | null>>();

  readonly #guards = new Map<string, ExportGuard>();

  constructor(parts: CheckoutsParts, waitMs = agentsEndMs) {
    this.#parts = parts;
    this.#waitMs = waitMs;
    this.#lines = new KeyedQueue({
      onError: (name, error) => this.#tell(name, error),
      onEmpty: parts.onRest,
    });
  }

  perform(run: string, op: WorkspaceOp): void {
    if (this.#ops.has(op.id)) return;
    const { store, keep, onRest, worktrees, home } = this.#parts;
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
              ? await workOnCheckout(
                  {
                    project,
                    root: project.root,
                    worktrees,
                    run: found,
                    store,
                    agents: home.agents,
                    page: this.#page(run),
                  },
                  op,
                )
              : gone(name);
        const chain = 'chain' in op ? op.chain : '';
        const took = op.kind === 'prepare' && result.ok ? (op.left?.by.run ?? null) : null;
        await keep((now) => ({
          ...emptyPlan,
          events: [
            { type: 'workspace_done', run, chain, at: now.at, op: op.id, result },
            ...(took === null ? [] : [{ type: 'left_taken', run: took, chain: '', at: now.at, into: run } as const]),
          ],
        }));
      } finally {
        this.#ops.delete(op.id);
        onRest();
      }
    });
  }

  /**
   * Killed agents may write until they are gone, so no folder is removed or reused before. Returns the run of an agent
   * that a new run would meet.
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
    return op.kind === 'prepare' || op.kind === 'land' ? (left?.run ?? null) : null;
  }

  #meantBy(run: string, project: string, op: WorkspaceOp): ((row: AttemptRow) => boolean) | null {
    switch (op.kind) {
      case 'drop':
        return (row) => row.run === run && row.chain === op.chain;
      case 'restore':
      case 'leave':
      case 'find_left':
        return (row) => row.run === run;
      case 'prepare':
        return op.worktree === true ? null : this.#othersIn(run, project);
      case 'land':
        return this.#othersIn(run, project);
      default:
        return null;
    }
  }

  /** Agents of other runs that work in the project's checkout. */
  #othersIn(run: string, project: string): (row: AttemptRow) => boolean {
    return (row) => {
      const other = row.run === run ? null : this.#parts.store.run(row.run);
      return other?.project === project && !other.beside;
    };
  }

  /** Coalesced: one export runs, one waits per project. A draft exports nothing while another run is shown. */
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
    // Some names are shared by all runs, so the last touched one is written last.
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
      await this.#exportRun(project, run, chains).catch((error: unknown) => this.#tell(line, error));
    }
  }

  async #exportRun(project: ProjectConfig, run: string, chains: ReadonlySet<string> | null): Promise<void> {
    const { store, cache, home, log } = this.#parts;
    const spine = cache.spine(run);
    if (!spine) return;
    const keys = chains === null ? spine.items.map((item) => item.key) : [...chains];
    // Agents read in the run's checkout, other tools in the project.
    const beside = isRunOver(spine.run.status) ? null : (spine.run.branch?.folder ?? null);
    const folders = beside !== null && existsSync(beside) ? [beside, project.root] : [project.root];
    // Names shared by all runs belong to the run that is shown.
    const isHidden = spine.run.beside === true && shownRun(store, project.name)?.id !== run;
    for (const folder of isHidden ? folders.filter((one) => one !== project.root) : folders) {
      const guard = folder === project.root ? this.#guard(project) : null;
      await exportRun(folder, spine, keys, (key) => cache.chain(run, key), { store, log, guard });
    }
    if (leavesNothing(spine.run)) {
      await removeLogs(home, run);
      removePictures(home, run);
    }
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

  /** Includes a run that ended just before its files were written. */
  exportAll(): void {
    const { store, config } = this.#parts;
    for (const { name } of config().projects) {
      const run = shownRun(store, name);
      // `shownRun` skips an ended one-shot run, whose files await cleanup.
      const [newest] = store.runs(name, 1, null);
      if (newest?.oneShot && newest.id !== run?.id) this.export(newest.id, null);
      if (run) this.export(run.id, null);
    }
  }

  isBusy(project: string | null): boolean {
    const { store, config } = this.#parts;
    const isMeant = (name: string | undefined) => project === null || name === project;
    // Operations that failed to begin count until the periodic check.
    if (store.activeRuns().some((run) => run.ops.length > 0 && isMeant(run.project))) return true;
    // Idle waiters read the exported files next.
    return config().projects.some((one) => isMeant(one.name) && this.#lines.has(exportLine(one)));
  }

  drain(): Promise<void> {
    return this.#lines.drain();
  }

  #page(run: string): string | null {
    const url = this.#parts.config().web.publicUrl;
    return url === undefined ? null : `${url}/runs/${encodeURIComponent(run)}`;
  }

  #project(name: string): ProjectConfig | null {
    return projectWithName(this.#parts.config(), name);
  }

  #tell(name: string, error: unknown): void {
    this.#parts.log(`${name}: ${String(error)}`, { level: 'error' });
  }
}

function exportLine(project: ProjectConfig): string {
  return `export ${project.root}`;
}

function stillAtWork(run: string): WorkspaceResult {
  const message = `An agent of ${run} is still working in this project. Wait until it ends, then retry.`;
  return { ok: false, code: 'blocked', message, files: [] };
}

function gone(name: string): WorkspaceResult {
  const message = `${name} is no longer in config.yaml. Add it back under projects, then retry.`;
  return { ok: false, code: 'blocked', message, files: [] };
}
