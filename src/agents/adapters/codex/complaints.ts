// Codex recovers from some errors, so the end of the turn decides if the last one counts.
import { stripVTControlCharacters } from 'node:util';
import type { Fault } from '../../processes/run-process.js';
import type { AgentEvent } from '../port.js';
import { fewWords } from '../shared/action-words.js';
import { causeOf, cutShort, failed, isSessionGone, startFault } from '../shared/faults.js';
import { identity } from './identity.js';

/** Offline, Codex reconnects forever. */
const maxReconnects = 4;
const maxRetryWaitMs = 180_000;
/** `… retrying sampling request (1/5 in 899.9s)... … sampling_error=…` */
const retrying = /retrying sampling request \(\d+\/\d+ in (\d+(?:\.\d+)?)s\).*?sampling_error=(.*)$/;

export class Complaints {
  readonly #clock: () => number;
  #last: string | null = null;
  #reconnects = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Codex waits out long retry delays silently, so Bosun stops it here. The log line may be coloured. */
  hear(line: string): readonly AgentEvent[] {
    const [, seconds = '0', text = ''] = retrying.exec(stripVTControlCharacters(line)) ?? [];
    const waitMs = Math.ceil(Number(seconds) * 1000);
    if (waitMs <= maxRetryWaitMs) return [];
    return [{ type: 'stuck', fault: { ...this.#faultOf(text), remedy: 'wait', waitMs } }];
  }

  /** `isRetrying`: Codex retries by itself. */
  error(message: string, isRetrying: boolean): readonly AgentEvent[] {
    const note: AgentEvent = { type: 'note', text: `[error] ${fewWords(message, 300)}` };
    if (!isRetrying) {
      this.#last = message;
      return [note];
    }
    this.#reconnects += 1;
    const wait: AgentEvent = { type: 'action', text: fewWords(`waits to try again: ${message}`) };
    if (this.#reconnects < maxReconnects || !/waiting for network/i.test(message)) return [note, wait];
    return [note, { type: 'stuck', fault: this.#faultOf(message) }];
  }

  worked(): void {
    this.#reconnects = 0;
  }

  forget(): void {
    this.#last = null;
  }

  /** Null: the turn ended well. */
  fault(end: {
    readonly isCompleted: boolean;
    readonly exit: number | null;
    readonly errors: string;
    readonly understood: number;
  }): Fault | null {
    const { isCompleted, exit, errors, understood } = end;
    if (isCompleted && this.#last === null) return null;
    if (this.#last !== null) {
      return isSessionGone(this.#last) ? startFault('codex', this.#last) : this.#faultOf(this.#last);
    }
    if (exit === 0) return cutShort('codex', understood);
    return startFault('codex', errors) ?? causeOf(identity, { text: errors, status: null }, this.#clock());
  }

  #faultOf(text: string): Fault {
    return causeOf(identity, { text, status: null }, this.#clock()) ?? failed('codex', text);
  }
}
