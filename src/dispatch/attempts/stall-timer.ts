// One attempt that is at work, as its life signs have it: how long it has been silent, when its card is due for another
// edit, and whether somebody is to be told of its silence. Time goes by in steps that it is handed.
import type { Progress } from '../../jobs/index.js';
import { type Activity, activityAfter, noActivity } from '../plans/activity.js';

export interface StallTimerOf {
  readonly attempt: string;
  readonly run: string;
  readonly chain: string;
  readonly project: string;
  readonly stallAfterMs: number;
}

/**
 * A new action is shown this long after the last edit, and later the more edits there were. Each edit is a row for each
 * thread, so that an attempt that runs for days must not go on as it began: after the last of these there is none.
 */
const gaps = [
  { edits: 40, ms: 15_000 },
  { edits: 80, ms: 30_000 },
  { edits: 120, ms: 60_000 },
  { edits: 200, ms: 300_000 },
] as const;
/** Where nothing changes, the card is refreshed this often, and the more rarely the longer that goes on. */
const calms = [
  { steadyMs: 10 * 60_000, ms: 60_000 },
  { steadyMs: 60 * 60_000, ms: 5 * 60_000 },
  { steadyMs: Number.POSITIVE_INFINITY, ms: 15 * 60_000 },
] as const;

export class StallTimer {
  readonly of: StallTimerOf;
  #sign: Activity;
  #silentMs = 0;
  #sinceShownMs = 0;
  #steadyMs = 0;
  #shownAction = '';
  #edits = 0;
  #alarmAtMs: number;
  #alarms = 0;
  #isAlarmUp = false;

  constructor(of: StallTimerOf, at: number) {
    this.of = of;
    this.#sign = noActivity(at);
    this.#alarmAtMs = of.stallAfterMs;
  }

  get sign(): Activity {
    return { ...this.#sign, silentMs: this.#silentMs };
  }

  hear(progress: Progress, at: number): void {
    const sign = activityAfter(progress, this.#sign, at);
    if (sign === null) return;
    if (sign.action !== this.#sign.action) this.#steadyMs = 0;
    this.#sign = sign;
    this.rest();
  }

  /** A person is awaited, or it gave a sign: there is no silence. */
  rest(): void {
    this.#silentMs = 0;
    this.#alarmAtMs = this.of.stallAfterMs;
  }

  pass(ms: number): void {
    this.#silentMs += ms;
    this.#sinceShownMs += ms;
    this.#steadyMs += ms;
  }

  get isEditDue(): boolean {
    const gapMs = gaps.find(({ edits }) => this.#edits < edits)?.ms ?? Number.POSITIVE_INFINITY;
    const calmMs = calms.find(({ steadyMs }) => this.#steadyMs <= steadyMs)?.ms ?? Number.POSITIVE_INFINITY;
    const isNew = this.#sign.action !== this.#shownAction;
    return this.#sinceShownMs >= Math.max(gapMs, isNew ? 0 : calmMs);
  }

  /** Its card is being edited. */
  shown(): void {
    this.#edits += 1;
    this.#sinceShownMs = 0;
    this.#shownAction = this.#sign.action;
  }

  /** Told once; after that only a person's word, or another silence, makes it due again. */
  get isAlarmDue(): boolean {
    return this.#silentMs >= this.#alarmAtMs;
  }

  /** The number of the alarm, and of the one before it that still stands. */
  raise(): { readonly number: number; readonly before: number | null } {
    const before = this.#isAlarmUp ? this.#alarms : null;
    this.#alarmAtMs = Number.POSITIVE_INFINITY;
    this.#isAlarmUp = true;
    this.#alarms += 1;
    return { number: this.#alarms, before };
  }

  /** A person would rather wait: as long again. */
  wait(): void {
    if (this.#isAlarmUp) this.#alarmAtMs = this.#silentMs + this.of.stallAfterMs;
  }

  /** The alarm that still stands with its buttons although it is silent no more; or, once it has ended, any. */
  takeBack(hasEnded: boolean): number | null {
    const isOver = hasEnded || this.#silentMs < this.of.stallAfterMs;
    if (!this.#isAlarmUp || !isOver) return null;
    this.#isAlarmUp = false;
    return this.#alarms;
  }
}
