import { asideThread, emptyPlan, type Plan } from '../../dispatch/index.js';
import type { Envelope, ReportedTry } from '../../engine/index.js';
import type { InboundBody, NewMessage } from '../../store/index.js';
import { personName, view } from '../views/view.js';
import { answer, type MessageContext } from './message-context.js';

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

/** In a thread of its own all read who asked for what; a refusal is for the sender alone. */
export function withRequest(ctx: MessageContext, body: InboundBody, plan: Plan): Plan {
  const { by, config, thread } = ctx;
  const asked = body.type === 'command' ? undefined : body.asked;
  if (asked === undefined) return plan;
  const opening = answer(ctx, view('report', `${personName(by)} asks: ${asked}`));
  const isHere = (one: NewMessage) => one.thread === thread.id;
  // A run that refuses the command answers aside as well.
  if (plan.exit !== 3 && plan.events.length > 0) {
    const others = plan.messages.filter((one) => !isHere(one));
    return { ...plan, opening: [opening, ...plan.messages.filter(isHere)], messages: others };
  }
  if (plan.exit !== 3) return { ...plan, opening: [opening] };
  const aside = asideThread(config, by, thread.id);
  if (aside === null) return { ...plan, messages: [opening, ...plan.messages] };
  return {
    ...plan,
    messages: plan.messages.map((one) => (isHere(one) ? { ...one, thread: aside } : one)),
  };
}
