// Estimates of time and cost, by the newest finished runs of the same workflow in the project.
import { usualLine } from '../../bot/index.js';
import { projectNamed } from '../../config/index.js';
import type { WebContext } from './web-context.js';

const pastLooked = 50;
const pastTaken = 10;
/** For the sheet of every page: each project costs a read. */
const maxEstimated = 8;

/** `Usually 6 to 9 min, about $0.40.`; '' without history. */
export function usualOf({ services }: WebContext, project: string, workflow: string): string {
  const past = services.runtime.reader.browsing
    .runs({ project, status: 'completed', before: null, limit: pastLooked })
    .filter((run) => run.workflow === workflow)
    .slice(0, pastTaken);
  return usualLine(past);
}

/** By project, each with its own workflow; the named project comes first. */
export function usualByProject(
  web: WebContext,
  projects: readonly string[],
  named: string | null,
): ReadonlyMap<string, string> {
  const first = projects.filter((name) => name === named);
  const looked = [...first, ...projects.filter((name) => name !== named)].slice(0, maxEstimated);
  return new Map(
    looked.flatMap((name) => {
      const workflow = projectNamed(web.services.config(), name)?.workflow;
      const usual = workflow === undefined ? '' : usualOf(web, name, workflow);
      return usual === '' ? [] : [[name, usual]];
    }),
  );
}
