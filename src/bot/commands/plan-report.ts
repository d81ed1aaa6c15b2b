// A report by hand, once it was gathered: the same whether it comes in now or was written down before a crash.
import type { Plan } from '../../dispatch/index.js';
import type { Envelope, ReportedTry } from '../../engine/index.js';
import { view } from '../views/view.js';

export interface Reported {
  readonly run: string;
  readonly chain: string;
  readonly by: string;
  readonly envelope: Envelope;
  readonly about?: ReportedTry;
}

/** What somebody outside says about a project where no step waits for it: people are told, and nothing is done. */
export interface News {
  readonly news: string;
  readonly threads: readonly string[];
  /** What comes later under the same name takes the place of what came before. */
  readonly card: string | null;
  readonly rings: boolean;
}

export function planReport(reported: Reported | News, thread: string, at: number): Plan {
  if ('news' in reported) return planNews(reported, at);
  return { events: [{ ...reported, type: 'reported', at }], follows: [{ run: reported.run, thread }] };
}

function planNews({ news, threads, card, rings }: News, at: number): Plan {
  const shown = view({ kind: 'report', text: news, rings });
  const messages = threads.map((thread) => ({ thread, run: null, interaction: null, card, view: shown, at }));
  return { events: [], messages };
}
