// Decides when an attempt's card is due and when to alert. The caller passes the elapsed time.
import type { Progress } from '../../jobs/index.js';
import { type Activity, activityAfter, noActivity } from '../plans/activity.js';

export interface StallTimerOf {
  readonly attempt: string;
  readonly run: string;
  readonly chain: string;
  readonly project: string;
  readonly stallAfterMs: number;
}

/** Minimum gap by the number of edits: each edit is a row per thread, so edits get rarer and stop. */
const gaps = [
  { edits: 40, ms: 15_000 },
  { edits: 80, ms: 30_000 },
  { edits: 120, ms: 60_000 },
  { edits: 200, ms: 300_000 },
] as const;
/** Refresh interval by the age of the present action. */
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

  /** After a heartbeat, or while the agent waits for a person. */
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

  shown(): void {
    this.#edits += 1;
    this.#sinceShownMs = 0;
    this.#shownAction = this.#sign.action;
  }

  get isAlarmDue(): boolean {
    return this.#silentMs >= this.#alarmAtMs;
  }

  /** The new alert's number, and that of the open previous one. */
  raise(): { readonly number: number; readonly before: number | null } {
    const before = this.#isAlarmUp ? this.#alarms : null;
    this.#alarmAtMs = Number.POSITIVE_INFINITY;
    this.#isAlarmUp = true;
    this.#alarms += 1;
    return { number: this.#alarms, before };
  }

  wait(): void {
    if (this.#isAlarmUp) this.#alarmAtMs = this.#silentMs + this.of.stallAfterMs;
  }

  takeBack(hasEnded: boolean): number | null {
    const isOver = hasEnded || this.#silentMs < this.of.stallAfterMs;
    if (!this.#isAlarmUp || !isOver) return null;
    this.#isAlarmUp = false;
    return this.#alarms;
  }
}
