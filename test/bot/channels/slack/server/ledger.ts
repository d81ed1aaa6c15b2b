import { type CallBase, CallLedger, mostWithin, smallestGapMs } from '../../fixture/ledger.js';
import type { Params } from './params.js';

export interface Call extends CallBase {
  readonly channel: string | null;
  readonly values: Params;
  came: string | null;
}

export class Ledger extends CallLedger<Call, string> {
  constructor() {
    super(({ channel }) => channel);
  }

  mostWithin(windowMs: number, method: string, channel?: string): number {
    return mostWithin(windowMs, this.calls(method, channel));
  }

  smallestGapMs(method: string, channel?: string): number {
    return smallestGapMs(this.calls(method, channel));
  }
}
