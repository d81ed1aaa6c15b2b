import { type CallBase, CallLedger, mostWithin, smallestGapMs } from '../../fixture/ledger.js';
import type { Params } from './params.js';

export interface Call extends CallBase {
  readonly chat: number | null;
  readonly values: Params['values'];
  came: 'ok' | 'reset' | 'hang' | number | null;
}

/** What a chat's budget is spent on. */
const budgeted = /^(send|edit|copy|forward|delete|pin|setMessageReaction)/;

export class Ledger extends CallLedger<Call, number> {
  constructor() {
    super(({ chat }) => chat);
  }

  /** Sends, edits, typing and the like; of one chat, or of all. */
  spent(chat?: number): readonly Call[] {
    return this.calls(undefined, chat).filter((one) => budgeted.test(one.method));
  }

  mostWithin(windowMs: number, chat?: number): number {
    return mostWithin(windowMs, this.spent(chat));
  }

  smallestGapMs(chat?: number): number {
    return smallestGapMs(this.spent(chat));
  }
}
