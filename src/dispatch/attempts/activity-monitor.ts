import type { Chain, State } from '../../engine/index.js';
import type { Progress } from '../../jobs/index.js';
import type { NewMessage, Store } from '../../store/index.js';
import { type Activity, awaitedBy } from '../plans/activity.js';
import { emptyPlan, type MakePlan, type PlanContext, type Submitted } from '../plans/plan.js';
import type { Presenter, Stall } from '../plans/presenter.js';
import { CardsOfRun } from '../plans/run-cards.js';
import { stepWords } from '../plans/step-words.js';
import { StallTimer } from './stall-timer.js';

export interface ActivityMonitorParts {
  readonly store: Pick<Store, 'run' | 'openInteractions'>;
  readonly present: Pick<Presenter, 'working' | 'stalled'>;
  readonly now: () => number;
  readonly submit: (work: MakePlan) => Promise<Submitted>;
  readonly stallAfterMs: (project: string) => number;
  readonly onError: (error: unknown) => void;
}

const lookEveryMs = 5_000;
/** A longer gap between looks means sleep or a changed clock, not silence. */
const longestStepMs = 30_000;

export class ActivityMonitor {
  readonly #parts: ActivityMonitorParts;
  readonly #pulses = new Map<string, StallTimer>();
  #lookedAt = 0;
  #isLooking = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: ActivityMonitorParts) {
    this.#parts = parts;
  }

  begin(attempt: string, run: string, chain: string): void {
    const { store, now, stallAfterMs, onError } = this.#parts;
    const project = store.run(run)?.project ?? '';
    if (this.#pulses.size === 0) this.#lookedAt = now();
    this.#pulses.set(
      attempt,
      new StallTimer({ attempt, run, chain, project, stallAfterMs: stallAfterMs(project) }, now()),
    );
    this.#timer ??= setInterval(() => void this.look().catch(onError), lookEveryMs).unref();
  }

  hear(attempt: string, progress: Progress): void {
    this.#pulses.get(attempt)?.hear(progress, this.#parts.now());
  }

  last(attempt: string): Activity | null {
    return this.#pulses.get(attempt)?.sign ?? null;
  }

  wait(attempt: string): void {
    this.#pulses.get(attempt)?.wait();
  }

  /** The messages remove the buttons of an open alert. */
  end(attempt: string): (now: PlanContext) => readonly NewMessage[] {
    const pulse = this.#pulses.get(attempt);
    this.#pulses.delete(attempt);
    if (this.#pulses.size === 0) this.close();
    const number = pulse?.takeBack(true) ?? null;
    return (now) => (pulse && number !== null ? this.#alarm(now, pulse, number, 'over') : []);
  }

  close(): void {
    clearInterval(this.#timer ?? undefined);
    this.#timer = null;
  }

  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const stepMs = this.#stepMs();
      const awaited = this.#awaited();
      for (const pulse of this.#pulses.values()) {
        pulse.pass(stepMs);
        if (awaited.has(pulse.of.attempt)) pulse.rest();
      }
      for (const pulse of [...this.#pulses.values()]) {
        await this.#tellOfSilence(pulse);
        if (!awaited.has(pulse.of.attempt) && pulse.isEditDue) await this.#refresh(pulse);
      }
    } finally {
      this.#isLooking = false;
    }
  }

  #stepMs(): number {
    const at = this.#parts.now();
    const passedMs = at - this.#lookedAt;
    this.#lookedAt = at;
    return passedMs < 0 || passedMs > longestStepMs ? 0 : passedMs;
  }

  /** While they wait for a person their silence does not count. */
  #awaited(): ReadonlySet<string> {
    const projects = new Set([...this.#pulses.values()].map(({ of }) => of.project));
    const open = [...projects].flatMap((project) => this.#parts.store.openInteractions(project));
    return new Set(open.flatMap(({ interaction }) => awaitedBy(interaction) ?? []));
  }

  async #tellOfSilence(pulse: StallTimer): Promise<void> {
    const past = pulse.takeBack(false);
    if (past !== null) await this.#tell(pulse, (now) => this.#alarm(now, pulse, past, 'back'));
    if (!pulse.isAlarmDue) return;
    const { number, before } = pulse.raise();
    await this.#tell(pulse, (now) => [
      ...(before === null ? [] : this.#alarm(now, pulse, before, 'again')),
      ...this.#alarm(now, pulse, number, 'silent'),
    ]);
  }

  #alarm(now: PlanContext, { of, sign }: StallTimer, number: number, kind: Stall['kind']): readonly NewMessage[] {
    const { attempt, run, chain } = of;
    const stall = { attempt, run, about: stepWords(now, { run, chain, attempt }), number, kind, sign };
    return this.#parts.present.stalled(stall, now.followers(run), now.at);
  }

  /** One card shows all attempts of a chain, so a refresh counts for each of them. */
  async #refresh({ of }: StallTimer): Promise<void> {
    for (const pulse of this.#pulses.values()) {
      if (pulse.of.run === of.run && pulse.of.chain === of.chain) pulse.shown();
    }
    await this.#tell({ of }, (now, state) => {
      const followers = now.followers(of.run).filter((id) => now.reader.thread(id)?.quiet !== true);
      const cards = new CardsOfRun(now, state.run);
      return this.#parts.present.working({ state, followers, at: now.at, cards, lastSign: (id) => this.last(id) });
    });
  }

  async #tell(
    { of }: Pick<StallTimer, 'of'>,
    messages: (now: PlanContext, state: State) => readonly NewMessage[],
  ): Promise<void> {
    await this.#parts.submit((now) => {
      const spine = now.spine(of.run);
      const chain = now.chain(of.run, of.chain);
      if (!spine || !chain || !isAtWork(chain, of.attempt)) {
        this.#pulses.delete(of.attempt);
        return emptyPlan;
      }
      return { ...emptyPlan, messages: messages(now, { ...spine, chain }) };
    });
  }
}

function isAtWork({ nodes }: Chain, attempt: string): boolean {
  return nodes.some(({ live, state }) => live?.id === attempt && state === 'running');
}
