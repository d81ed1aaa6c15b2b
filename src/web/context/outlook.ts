// The outlook of a new task: its place in the queue, and the time and cost of such work so far.
import { ordinal, titleOf, usualLine } from '../../bot/index.js';
import type { ProjectConfig } from '../../config/index.js';
import type { Run } from '../../engine/index.js';
import type { WebContext } from './web-context.js';

const pastLooked = 50;
const pastTaken = 10;
const maxLive = 10;

/** The run in the project's folder; others wait for it, or work beside it. */
export function holderOf({ services }: WebContext, project: string): Run | null {
  const live = services.runtime.reader.browsing.liveRuns(project, maxLive);
  return live.find(({ beside }) => !beside) ?? null;
}

/** `Usually 6 to 9 min, about $0.40.`; '' without history. */
export function usualOf({ services }: WebContext, project: string, workflow: string): string {
  const past = services.runtime.reader.browsing
    .runs({ project, status: 'completed', before: null, limit: pastLooked })
    .filter((run) => run.workflow === workflow)
    .slice(0, pastTaken);
  return usualLine(past);
}

export function outlookOf(web: WebContext, { name, workflow: own }: ProjectConfig, workflow = own) {
  const live = holderOf(web, name);
  const place = web.services.runtime.reader.drafts(name).length + 1;
  const behind = live === null ? null : titleOf(live.task) || live.id;
  const usual = usualOf(web, name, workflow) || null;
  return { project: name, workflow, place, behind, usual, text: outlookText({ place, behind, usual }) };
}

export interface Outlook {
  readonly place: number;
  /** The task that has the project's folder. */
  readonly behind: string | null;
  readonly usual: string | null;
}

export function outlookText({ place, behind, usual }: Outlook): string {
  const now = behind === null ? '' : `Now: “${behind}”. `;
  const queued =
    behind === null && place === 1 ? 'It can start at once.' : `This becomes ${ordinal(place)} in the queue.`;
  return `${now}${queued}${usual === null ? '' : ` ${usual}`}`;
}
