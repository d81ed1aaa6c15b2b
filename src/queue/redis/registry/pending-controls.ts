import type { HomeMessage } from '../protocol/messages.js';
import { type HeldJob, wantsOf } from './held-jobs.js';

export interface WantsOptions {
  readonly carried: ReadonlyMap<string, HeldJob>;
  readonly say: (session: string, down: HomeMessage) => Promise<void>;
  readonly onRedisError: (error: unknown) => void;
}

export class PendingControls {
  readonly #options: WantsOptions;

  constructor(options: WantsOptions) {
    this.#options = options;
  }

  /** False: not held. */
  add(id: string, change: (one: HeldJob) => void): boolean {
    const one = this.#options.carried.get(id);
    if (one === undefined || one.phase === 'ending') return false;
    change(one);
    one.isTold = false;
    this.tell(one);
    return true;
  }

  /** `isLost`: resend everything, because Redis may have lost it. */
  repeat(isLost: boolean): void {
    for (const one of this.#options.carried.values()) {
      const isSomething = one.isCancelled || one.extendedMs > 0 || one.isWaiting;
      if (isSomething && (isLost || !one.isTold)) this.tell(one);
    }
  }

  tell(one: HeldJob): void {
    if (one.session === null) return;
    one.isTold = true;
    this.#options.say(one.session, wantsOf(one)).catch((error: unknown) => {
      one.isTold = false;
      this.#options.onRedisError(error);
    });
  }
}
