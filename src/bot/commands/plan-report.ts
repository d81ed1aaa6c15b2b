import { emptyPlan, type Plan } from '../../dispatch/index.js';
import type { Envelope, ReportedTry } from '../../engine/index.js';
import { view } from '../views/view.js';

export interface Reported {
  readonly run: string;
  readonly chain: string;
  readonly by: string;
  readonly envelope: Envelope;
  readonly about?: ReportedTry;
  readonly opened?: string;
}

/** A report from outside while no step waits: people are told, nothing else happens. */
export interface News {
  readonly news: string;
  readonly threads: readonly string[];
  readonly card: string | null;
  readonly rings: boolean;
  /** A terminal's session that ended without a report. */
  readonly closes?: { readonly run: string; readonly chain: string; readonly key: string };
}

export function planReport(reported: Reported | News, thread: string, at: number): Plan {
  if ('news' in reported) return planNews(reported, at);
  return {
    ...emptyPlan,
    events: [{ ...reported, type: 'reported', at }],
    effects: [{ type: 'follow', run: reported.run, thread }],
  };
}

function planNews({ news, threads, card, rings, closes }: News, at: number): Plan {
  const shown = { ...view('report', news), rings };
  const messages = threads.map((thread) => ({ thread, run: null, interaction: null, card, view: shown, at }));
  const events = closes === undefined ? [] : [{ type: 'session_closed' as const, ...closes, at, isLost: false }];
  return { ...emptyPlan, events, messages };
}
