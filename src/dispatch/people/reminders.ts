// Due times are stored; here are only timers. Quiet hours postpone.

import type { QuietHours } from '../../config/index.js';
import { type Event, type Interaction, nextSnoozeEnd, recallsOf } from '../../engine/index.js';
import type { Spine, Store } from '../../store/index.js';
import { emptyPlan, type MakePlan, type Submitted } from '../plans/plan.js';
import { quietUntil } from './quiet-hours.js';

export interface RemindersParts {
  readonly store: Pick<Store, 'openInteractions'>;
  readonly submit: (work: MakePlan) => Promise<Submitted>;
  readonly now: () => number;
  readonly quietHours: (project: string) => QuietHours | null;
  readonly onError: (error: unknown) => void;
}

interface Recall {
  readonly run: string;
  readonly project: string;
  readonly interaction: Interaction;
}

type Due = 'remind' | 'escalate' | 'snooze_ended';

/** Timers stop during sleep, and overlong ones fire at once. */
const longestMs = 3_600_000;
const retryMs = 60_000;

export class Reminders {
  readonly #parts: RemindersParts;
  readonly #open = new Map<string, Recall>();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(parts: RemindersParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  recover(spineOf: (run: string) => Pick<Spine, 'run'> | null): Promise<void> {
    for (const { run, interaction } of this.#parts.store.openInteractions(null)) {
      const project = spineOf(run)?.run.project;
      if (project !== undefined) this.#note({ run, project, interaction });
    }
    return this.look();
  }

  note(recalls: readonly Recall[]): void {
    if (recalls.length === 0) return;
    for (const recall of recalls) this.#note(recall);
    this.#setTimer();
  }

  async look(): Promise<void> {
    if (this.#isClosed) return;
    const now = this.#parts.now();
    for (const recall of [...this.#open.values()]) {
      for (const { type, at } of this.#duesOf(recall)) if (at <= now) await this.#tell(recall, type);
    }
    this.#setTimer(retryMs);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer ?? undefined);
    this.#open.clear();
  }

  #note(recall: Recall): void {
    const { remindAt, escalateAt } = recallsOf(recall.interaction);
    const isDue = remindAt !== null || escalateAt !== null || nextSnoozeEnd(recall.interaction) !== null;
    if (!isDue) this.#open.delete(recall.interaction.id);
    else this.#open.set(recall.interaction.id, recall);
  }

  #duesOf({ project, interaction }: Recall): readonly { readonly type: Due; readonly at: number }[] {
    const { remindAt, escalateAt } = recallsOf(interaction);
    const hours = this.#parts.quietHours(project);
    const put = (due: number) => quietUntil(hours, Math.max(due, this.#parts.now())) ?? due;
    const wakeAt = nextSnoozeEnd(interaction);
    return [
      ...(remindAt === null ? [] : [{ type: 'remind' as const, at: interaction.expiresAt ?? put(remindAt) }]),
      ...(escalateAt === null ? [] : [{ type: 'escalate' as const, at: put(escalateAt) }]),
      ...(wakeAt === null ? [] : [{ type: 'snooze_ended' as const, at: put(wakeAt) }]),
    ];
  }

  async #tell({ run, interaction: { id, chain } }: Recall, type: Due): Promise<void> {
    try {
      const { ignored } = await this.#parts.submit((now) => {
        const event: Event = { type, run, chain, at: now.at, interaction: id };
        return { ...emptyPlan, events: [event] };
      });
      if (ignored[0] === 'not open') this.#open.delete(id);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  #setTimer(overdueMs = 0): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    const dues = [...this.#open.values()].flatMap((recall) => this.#duesOf(recall));
    if (this.#isClosed || dues.length === 0) return;
    const inMs = Math.min(...dues.map(({ at }) => at)) - this.#parts.now();
    const waitMs = inMs > 0 ? Math.min(longestMs, inMs) : overdueMs;
    this.#timer = setTimeout(() => this.look().catch(this.#parts.onError), waitMs);
    this.#timer.unref();
  }
}
