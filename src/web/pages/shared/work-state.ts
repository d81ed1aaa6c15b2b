// The one state of a run or project, as this viewer sees it.
import { type ProjectConfig, permit, projectNamed, requiredAction } from '../../../config/index.js';
import { type Health, healthOf } from '../../../dispatch/index.js';
import type { Interaction, Run } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { type Said, workSaid } from './status.js';
import { clockOf } from './text.js';

/** True if the viewer's role lets them answer it. */
export function mayAnswer(
  { services, who }: WebContext,
  project: string,
  { kind }: Pick<Interaction, 'kind'>,
): boolean {
  return who.kind === 'home-owner' || permit(services.config(), project, who, requiredAction[kind]).kind === 'allowed';
}

export function stateOfRun(web: WebContext, run: Run, health?: Health): Said {
  if (run.status === 'completed' || run.status === 'cancelled') return workSaid({ run });
  const { reader } = web.services.runtime;
  const open = reader.browsing.oldestOpen(run.id);
  const asked = open && { kind: open.kind, isMine: mayAnswer(web, run.project, open) };
  const said = workSaid({ run, asked, ...(health === undefined ? {} : { health }) });
  const [first] = run.live;
  if (asked !== null || first === undefined || said.mark !== 'queue') return said;
  const notBefore = reader.attempt(first.attempt)?.attempt.notBefore ?? 0;
  if (notBefore <= web.now()) return said;
  const zone = projectNamed(web.services.config(), run.project)?.budget.zone;
  return { tone: 'quiet', word: `Retrying at ${clockOf(notBefore, zone)}`, mark: 'clock' };
}

/** A project's live run, else its newest, with its state. */
export function stateOfProject(web: WebContext, { name, stallAfterMs }: ProjectConfig) {
  const { runtime } = web.services;
  const { browsing } = runtime.reader;
  const [live] = browsing.liveRuns(name, 1);
  const run = live ?? browsing.runs({ project: name, status: null, before: null, limit: 1 })[0] ?? null;
  const spine = run && runtime.reader.spine(run.id);
  const lastSign = (attempt: string) => runtime.lastSign(attempt);
  const health = healthOf(spine, { at: web.now(), lastSign, stallAfterMs });
  const isOver = run === null || run.status === 'completed' || run.status === 'cancelled';
  return { run, spine, state: isOver ? workSaid({ run: null }) : stateOfRun(web, run, health) };
}
