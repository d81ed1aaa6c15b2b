// What a project has spent and may spend, for a run that is about to begin; the run adds its own to it.
import type { Event, Purse, Run } from '../engine/index.js';
import type { Config } from './home/index.js';
import type { Spent, Store } from './store/index.js';

/** null: the project sets no limit for a day or for all of its runs. */
export function purseOf(store: Pick<Store, 'spending'>, name: string, config: Config, at: number): Purse | null {
  const budget = config.projects.find((project) => project.name === name)?.budget;
  const { dayUsd: dayLimitUsd = null, projectUsd: projectLimitUsd = null } = budget ?? {};
  if (dayLimitUsd === null && projectLimitUsd === null) return null;
  const { today, ever } = store.spending(name, at);
  return { dayUsd: today.usd, dayEndsAt: nextMidnight(at), dayLimitUsd, projectUsd: ever.usd, projectLimitUsd };
}

/** On this machine's wall, where a day may have 23 hours or 25. */
function nextMidnight(at: number): number {
  const moment = new Date(at);
  return new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() + 1).getTime();
}

export type PurseOf = (project: string, at: number) => Purse | null;

/** An event with which a run may begin says what its project has spent by then. */
export function withPurse(event: Event, run: Run | null, find: PurseOf = () => null): Event {
  const project = event.type === 'run_created' ? event.project : run?.status === 'draft' ? run.project : null;
  if (project === null || !mayBegin(event)) return event;
  const purse = find(project, event.at);
  return purse === null ? event : { ...event, purse };
}

type Beginning = Extract<Event, { readonly purse?: Purse }>;

function mayBegin(event: Event): event is Beginning {
  const { type } = event;
  return type === 'run_created' || type === 'start' || type === 'continue' || type === 'answered';
}

/** What is to be added to the sums of a project once an event has counted. */
export function paidBy(event: Event, { project }: Run): readonly Spent[] {
  if (event.type !== 'attempt_settled' && event.type !== 'reported') return [];
  const { costUsd, tokensIn, tokensOut } = event.envelope;
  if (costUsd === null && tokensIn === null && tokensOut === null) return [];
  return [{ project, at: event.at, usd: costUsd ?? 0, tokensIn: tokensIn ?? 0, tokensOut: tokensOut ?? 0 }];
}
