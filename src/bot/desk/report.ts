// A report by hand, once it was gathered: the same whether it comes in now or was written down before a crash.
import type { Plan } from '../../dispatch/index.js';
import type { Envelope } from '../../engine/index.js';

export interface Reported {
  readonly run: string;
  readonly chain: string;
  readonly by: string;
  readonly envelope: Envelope;
}

export function planReport(reported: Reported, thread: string, at: number): Plan {
  return { events: [{ ...reported, type: 'reported', at }], follows: [{ run: reported.run, thread }] };
}
